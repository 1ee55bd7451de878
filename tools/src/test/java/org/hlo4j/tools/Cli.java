package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the command in this process, in a separate folder, and captures its output. */
public final class Cli {
  /** {@code sum = x + 2 y}, with the scalar y broadcast to x. */
  public static final String SUM =
      """
      HloModule sum

      ENTRY main {
        x = f32[3] parameter(0)
        y = f32[] parameter(1)
        two = f32[] constant(2)
        twice = f32[] multiply(y, two)
        all = f32[3] broadcast(twice), dimensions={}
        ROOT sum = f32[3] add(x, all), metadata={source_file="model.py" source_line=7}
      }
      """;

  /** Two programs in one text. */
  public static final String TWO =
      """
      HloModule a
      ENTRY e { ROOT x = f32[2] constant({1, 2}) }
      // -----
      HloModule b
      ENTRY e { ROOT x = f32[1] constant({3}) }
      """;

  private final Path folder;

  public Cli(Path folder) {
    this.folder = folder;
  }

  /** The result of a command, with the folder's name replaced in both texts. */
  public record Ran(int status, String out, String err) {
    /** Asserts success and exactly this output. */
    public void prints(String wanted) {
      assertWithMessage("stderr").that(err).isEmpty();
      assertThat(out).isEqualTo(wanted);
      assertThat(status).isEqualTo(0);
    }

    /** Asserts one line on stderr and status 1. */
    public void fails(String wanted) {
      assertThat(err).isEqualTo("hlo4j: " + wanted + "\n");
      assertThat(status).isEqualTo(1);
    }

    /** Asserts one line on stderr, no output and status 2. */
    public void isRefused(String wanted) {
      assertThat(err).isEqualTo("hlo4j: " + wanted + "\n");
      assertThat(out).isEmpty();
      assertThat(status).isEqualTo(2);
    }
  }

  /** Writes a file. */
  public Cli with(String name, String text) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
      return this;
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  /** Runs the command; {@code @/} in an argument stands for the folder. */
  public Ran run(String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Ran ran = run(out, arguments);
    return new Ran(ran.status(), told(out), ran.err());
  }

  /** Runs the command with this standard output. */
  public Ran run(OutputStream out, String... arguments) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] args = arguments.clone();
    for (int i = 0; i < args.length; i++) {
      args[i] = args[i].replace("@/", folder + "/");
    }
    int status = Hlo4j.execute(out, err, args);
    return new Ran(status, "", told(err));
  }

  /** Runs the command with this standard input. */
  public Ran runOn(InputStream stdin, String... arguments) {
    InputStream before = System.in;
    System.setIn(stdin);
    try {
      return run(arguments);
    } finally {
      System.setIn(before);
    }
  }

  /** Runs the command with this text as standard input. */
  public Ran runOn(String stdin, String... arguments) {
    return runOn(new ByteArrayInputStream(stdin.getBytes(UTF_8)), arguments);
  }

  private String told(ByteArrayOutputStream text) {
    return text.toString(UTF_8).replace(folder + "/", "@/").replace(System.lineSeparator(), "\n");
  }
}
