package org.hlo4j.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The loop of a process that runs programs when told to, a line a command:
 *
 * <pre>
 *   load FOLDER    gets FOLDER/program.hlo.txt ready, and warm     -&gt; ok, or no REASON
 *   time N         runs it N times or N times several              -&gt; the median, in microseconds
 *   compile N      compiles it N times                             -&gt; the median, in microseconds
 * </pre>
 *
 * All contenders speak it, so that they can alternate, each in a process of its own.
 */
public final class Server {
  private static final double WARM_SECONDS = Double.parseDouble(property("warm", "1.5"));
  private static final double SAMPLE_MICROS = 50;

  /** Before what counts: a processor that rested runs slower at first, its caches hold others'. */
  private static final long RAMP_NANOS = 50_000_000;

  /** A program that is ready. */
  public interface Program {
    /**
     * Runs it once.
     *
     * @throws Exception if it cannot
     */
    void run() throws Exception;

    /**
     * Compiles it once more.
     *
     * @throws Exception if it cannot
     */
    void compile() throws Exception;
  }

  /** What gets programs ready. */
  @FunctionalInterface
  public interface Loader {
    /**
     * Gets a program ready.
     *
     * @param folder where it is
     * @return the program
     * @throws Exception if it cannot; the message says why
     */
    Program load(Path folder) throws Exception;
  }

  private Server() {}

  private static String property(String name, String otherwise) {
    return System.getProperty("hlo4j.bench." + name, otherwise);
  }

  /**
   * Serves until the input ends.
   *
   * @param loader what gets programs ready
   * @throws Exception if a program fails after it was ready
   */
  public static void serve(Loader loader) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // what libraries print must not come between
    Program program = null;
    int batch = 1;
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ", 2);
      if (words[0].equals("load")) {
        try {
          program = loader.load(Path.of(words[1]));
          batch = warm(program);
          out.println("ok");
        } catch (Exception | LinkageError | OutOfMemoryError refused) {
          out.println("no " + String.valueOf(refused).lines().findFirst().orElse(""));
        }
      } else {
        boolean compiles = words[0].equals("compile");
        out.println(median(program, Integer.parseInt(words[1]), compiles ? 1 : batch, compiles));
      }
      out.flush();
    }
  }

  /** Runs it for a while; how often it has to run for a sample. */
  private static int warm(Program program) throws Exception {
    long start = System.nanoTime();
    int runs = 0;
    double shortest = Double.MAX_VALUE;
    while (runs < 3 || System.nanoTime() - start < WARM_SECONDS * 1e9) {
      long before = System.nanoTime();
      program.run();
      shortest = Math.min(shortest, (System.nanoTime() - before) / 1000.0);
      runs++;
    }
    return (int) Math.clamp(SAMPLE_MICROS / Math.max(shortest, 0.02), 1, 5000);
  }

  private static double median(Program program, int samples, int batch, boolean compiles)
      throws Exception {
    long start = System.nanoTime();
    while (!compiles && System.nanoTime() - start < RAMP_NANOS) {
      program.run();
    }
    double[] micros = new double[samples];
    for (int i = 0; i < samples; i++) {
      long before = System.nanoTime();
      for (int k = 0; k < batch; k++) {
        if (compiles) {
          program.compile();
        } else {
          program.run();
        }
      }
      micros[i] = (System.nanoTime() - before) / 1000.0 / batch;
    }
    Arrays.sort(micros);
    return micros[samples / 2];
  }
}
