package org.hlo4j.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A program for tests of what starts programs, which is the same on all operating systems. It does
 * what its first argument says:
 *
 * <pre>
 * echo WORD...          prints the words
 * fail STATUS WORD      prints the word to the standard error and ends with the status
 * nothing               does nothing
 * wait                  waits for a minute
 * parent                starts a program that waits, and waits for it
 * flood N               prints N bytes and a line "end"
 * cat                   prints the standard input
 * copy FROM TO          copies a file
 * has TEXT FILE         ends with status 0 if the file has the text, else with 1
 * has TEXT OTHER FILE   the same for two texts, and waits if it has neither
 * takes TEXT HLO RESULTS   ends with status 0 if the program has the text, else with 1
 * answer HLO RESULTS INPUT   copies the input to the results if the program has f32; prints
 *                       "error no s32" at s32, ends with status 3 at s64, waits at others
 * chatter               as serve, with two answers for one
 * serve                 the same for each line of the standard input, with "ok" as the answer
 * </pre>
 */
public final class FakeCommand {
  private static final long WAIT_MILLIS = 60_000;

  private FakeCommand() {}

  /**
   * Returns the Java that runs this program.
   *
   * @return the path of the executable
   */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /**
   * Replaces the word FAKE in a command line by the start of this program.
   *
   * @param command a command line such as {@code FAKE echo a}
   * @return the command line, in quotes where it may have spaces
   */
  public static String in(String command) {
    return command.replace(
        "FAKE",
        "'"
            + java()
            + "' -Xshare:auto -XX:TieredStopAtLevel=1 -cp '"
            + classes()
            + "' "
            + FakeCommand.class.getName());
  }

  private static Path classes() {
    try {
      return Path.of(FakeCommand.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException broken) {
      throw new IllegalStateException(broken);
    }
  }

  /**
   * Runs the program.
   *
   * @param args what to do
   * @throws IOException if a file cannot be read or written
   * @throws InterruptedException if the thread is interrupted while it waits
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    switch (args[0]) {
      case "echo" ->
          System.out.println(String.join(" ", Arrays.asList(args).subList(1, args.length)));
      case "fail" -> {
        System.err.println(args[2]);
        System.exit(Integer.parseInt(args[1]));
      }
      case "nothing" -> {}
      case "wait" -> Thread.sleep(WAIT_MILLIS);
      case "parent" ->
          new ProcessBuilder(
                  java(), "-cp", classes().toString(), FakeCommand.class.getName(), "wait")
              .inheritIO()
              .start()
              .waitFor();
      case "flood" -> flood(Integer.parseInt(args[1]), System.out);
      case "cat" -> System.in.transferTo(System.out);
      case "copy" -> Files.copy(Path.of(args[1]), Path.of(args[2]));
      case "has" -> has(args);
      case "takes" -> System.exit(Files.readString(Path.of(args[2])).contains(args[1]) ? 0 : 1);
      case "answer" -> answer(args[1], args[2], args[3]);
      case "serve" -> serve(1);
      case "chatter" -> serve(2);
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void flood(int count, PrintStream out) {
    byte[] block = new byte[1 << 16];
    for (int left = count; left > 0; left -= block.length) {
      out.write(block, 0, Math.min(left, block.length));
    }
    out.println("end");
  }

  private static void has(String[] args) throws IOException, InterruptedException {
    String text = Files.readString(Path.of(args[args.length - 1]));
    boolean found =
        Arrays.asList(args).subList(1, args.length - 1).stream().anyMatch(text::contains);
    if (!found && args.length > 3) {
      Thread.sleep(WAIT_MILLIS);
    }
    System.exit(found ? 0 : 1);
  }

  private static void serve(int answers) throws IOException, InterruptedException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] fields = line.split("\t", -1);
      answer(fields[0], fields[1], fields[2]);
      for (int i = 1; i < answers; i++) {
        System.out.println("ok");
      }
    }
  }

  private static void answer(String hlo, String results, String input)
      throws IOException, InterruptedException {
    String program = Files.readString(Path.of(hlo));
    if (program.contains("f32")) {
      Files.copy(Path.of(input), Path.of(results, "0.npy"));
      System.out.println("errors so far: 0");
      System.out.println("ok");
    } else if (program.contains("s32")) {
      System.out.println("error no s32");
    } else if (program.contains("s64")) {
      System.err.println("bye");
      System.exit(3);
    } else {
      Thread.sleep(WAIT_MILLIS);
    }
  }
}
