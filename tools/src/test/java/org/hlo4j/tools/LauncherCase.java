package org.hlo4j.tools;

import static com.google.common.truth.Truth.assertWithMessage;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.npy.Npy;
import org.hlo4j.hlo.npy.Npz;
import org.hlo4j.tools.serve.Frame;

/**
 * A block of {@code launcher/cases.txt}: commands that are run one after the other in one folder.
 * Blocks do not depend on each other.
 *
 * <pre>
 * $ hlo4j run f.hlo --input '{1, 2}' &lt; FILE    the command
 * f32[2] {…                                    lines of the output, in order; more may be between
 * 2&gt; hlo4j: …                                  all lines of the standard error
 * exit 1                                       the exit status, if it is not 0
 * </pre>
 *
 * <p>In a line, {@code …} stands for any text.
 */
public record LauncherCase(ImmutableList<Step> steps) {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  /** Files that are exports of {@code jax.export}, one with symbolic dimensions and one without. */
  private static final ImmutableMap<String, String> EXPORTS =
      ImmutableMap.of("export.bin", "multi_platform", "static.bin", "x64_platforms");

  private static final String WARNING = "WARNING: Using incubator modules: jdk.incubator.vector\n";

  /** A command with what is expected of it. */
  record Step(
      ImmutableList<String> arguments,
      String stdin,
      ImmutableList<String> out,
      ImmutableList<String> err,
      int status) {

    private static Step parse(List<String> lines) {
      List<String> command = Splitter.on(" < ").splitToList(lines.get(0));
      ImmutableList<String> words =
          WORD.matcher(command.get(0))
              .results()
              .map(word -> word.group(1) == null ? word.group() : word.group(1))
              .collect(ImmutableList.toImmutableList());
      List<String> out = new ArrayList<>();
      List<String> err = new ArrayList<>();
      int status = 0;
      for (String line : lines.subList(1, lines.size())) {
        if (line.startsWith("exit ")) {
          status = Integer.parseInt(line.substring(5));
        } else if (line.startsWith("2> ")) {
          err.add(line.substring(3));
        } else {
          out.add(line);
        }
      }
      return new Step(
          words.subList(2, words.size()),
          command.size() == 1 ? "empty" : command.get(1),
          ImmutableList.copyOf(out),
          ImmutableList.copyOf(err),
          status);
    }

    /** Returns the name of the command. */
    String command() {
      return arguments.get(0);
    }

    /** Checks what the command did. */
    void check(Cli.Ran ran) {
      String told = this + "\n" + ran.out() + ran.err();
      List<String> errors = ran.err().replace(WARNING, "").lines().toList();
      assertWithMessage(told).that(errors).hasSize(err.size());
      assertWithMessage(told).that(missing(err, errors)).isEmpty();
      assertWithMessage(told).that(missing(out, ran.out().lines().toList())).isEmpty();
      assertWithMessage(told).that(ran.status()).isEqualTo(status);
    }

    /** Returns the wanted lines from the first on that is not among the others, in order. */
    private static List<String> missing(List<String> wanted, List<String> lines) {
      Iterator<String> left = lines.iterator();
      for (int i = 0; i < wanted.size(); i++) {
        Pattern line = Pattern.compile(Pattern.quote(wanted.get(i)).replace("…", "\\E.*\\Q"));
        boolean found = false;
        while (!found && left.hasNext()) {
          found = line.matcher(left.next()).matches();
        }
        if (!found) {
          return wanted.subList(i, wanted.size());
        }
      }
      return List.of();
    }

    @Override
    public String toString() {
      return "hlo4j " + String.join(" ", arguments);
    }
  }

  /** Returns the names of its commands. */
  Stream<String> commands() {
    return steps.stream().map(Step::command);
  }

  /** Returns the blocks of the file. */
  static ImmutableList<LauncherCase> all() {
    ImmutableList.Builder<LauncherCase> all = ImmutableList.builder();
    for (String block : Splitter.on("\n\n").split(text("cases.txt"))) {
      if (block.startsWith("$ ")) {
        ImmutableList.Builder<Step> steps = ImmutableList.builder();
        for (String step : Splitter.on("\n$ ").split("\n" + block.strip())) {
          if (!step.isEmpty()) {
            steps.add(Step.parse(("$ " + step).lines().toList()));
          }
        }
        all.add(new LauncherCase(steps.build()));
      }
    }
    return all.build();
  }

  private static byte[] bytes(String name) {
    try {
      return Resources.toByteArray(Resources.getResource(LauncherCase.class, name));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static String text(String name) {
    return new String(bytes("launcher/" + name), UTF_8);
  }

  /** Writes the files that the commands read. */
  static void writeFiles(Path folder) throws IOException {
    for (String name : List.of("feed.hlo", "ids.hlo", "functions.mlir", "system.sh")) {
      Files.writeString(folder.resolve(name), text(name));
    }
    Files.writeString(folder.resolve("empty"), "");
    Files.writeString(folder.resolve("sum.hlo"), Cli.SUM);
    Files.writeString(folder.resolve("other.hlo"), Cli.SUM.replace("add(x", "subtract(x"));
    Files.writeString(folder.resolve("two.hlo"), Cli.TWO);
    Path passes = Files.createDirectory(folder.resolve("passes"));
    Files.writeString(passes.resolve("module_0001.f.before_optimizations.txt"), Cli.SUM);
    Files.writeString(
        passes.resolve("module_0001.f.0000.simplification.after_algsimp.before_cse.txt"),
        Cli.SUM.replace("add(x", "subtract(x"));
    for (Map.Entry<String, String> export : EXPORTS.entrySet()) {
      Files.write(
          folder.resolve(export.getKey()), bytes("exports/" + export.getValue() + "/export.bin"));
    }
    Literal x = Literal.of(new float[] {1, 2, 3});
    Npy.write(folder.resolve("x.npy"), x);
    Npy.write(folder.resolve("known.npy"), Literal.of(new float[] {21, 22, 23}));
    Npy.write(folder.resolve("fed.npy"), Literal.of(new float[] {-1, -2}));
    Npz.write(folder.resolve("xy.npz"), Map.of("x", x, "y", Literal.of(10f)));
    try (DataOutputStream request =
        new DataOutputStream(Files.newOutputStream(folder.resolve("load.request")))) {
      new Frame('L', List.of(Cli.SUM.getBytes(UTF_8))).write(request);
    }
  }
}
