package org.hlo4j.tools;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Runs many commands in one process, for {@link LauncherIT}: in a runtime image, say, where it is
 * patched into the module. Its argument is a file with a line for each command, the file of the
 * standard input and the arguments, separated by tabs; next to it, it writes {@code <line>.out},
 * {@code .err} and {@code .status}.
 */
final class LauncherSession {
  private LauncherSession() {}

  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    int line = 0;
    for (String command : Files.readAllLines(file)) {
      run(command.split("\t"), file.resolveSibling(line++ + ""));
    }
  }

  private static void run(String[] words, Path results) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    try (InputStream in = Files.newInputStream(Path.of(words[0]))) {
      System.setIn(in);
      int status = Hlo4j.execute(out, err, Arrays.copyOfRange(words, 1, words.length));
      Files.writeString(Path.of(results + ".status"), status + "");
    }
    Files.write(Path.of(results + ".out"), out.toByteArray());
    Files.write(Path.of(results + ".err"), err.toByteArray());
  }
}
