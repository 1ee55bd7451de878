package org.hlo4j.benchmarks;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/**
 * The loop of a process that runs programs on request. Each line of its input is a command:
 *
 * <pre>
 *   load FOLDER    loads FOLDER/program.hlo.txt, and warms it up  -&gt; ok, or no REASON
 *   runs N         runs it N times                                -&gt; the time of each, in microseconds
 *   warm SECONDS   warms it up by itself                          -&gt; the time taken, in microseconds
 *   time N         takes N samples, each of one or more runs      -&gt; the median, in microseconds
 *   compile N      compiles it N times                            -&gt; the median, in microseconds
 *   result FILE    writes its result as a .npy file               -&gt; ok
 *   vectors        tells how long its vectors are                 -&gt; the bits; 0 for none
 *   heap           collects garbage                               -&gt; the used heap, in MB
 * </pre>
 *
 * All contenders use this protocol, so that they can alternate, each in a process of its own.
 */
public final class Server {
  private static final double WARM_SECONDS = Double.parseDouble(property("warm", "1.5"));
  private static final double SAMPLE_MICROS = 50;

  /**
   * The time before a measurement in which the program already runs: a processor that was idle is
   * slower at first, and its caches hold other data.
   */
  private static final long RAMP_NANOS = 50_000_000;

  /** A program that is loaded. */
  public interface Program {
    /**
     * Runs it once.
     *
     * @throws Exception if it cannot
     */
    void run() throws Exception;

    /**
     * Compiles it again.
     *
     * @throws Exception if it cannot
     */
    void compile() throws Exception;

    /**
     * Writes the result of the last run to a {@code .npy} file.
     *
     * @param file the file
     * @throws Exception if it cannot
     */
    default void save(Path file) throws Exception {
      throw new UnsupportedOperationException("result");
    }

    /**
     * Warms it up by the means of what runs it, and not by runs from outside.
     *
     * @param atMost the time that it may take
     */
    default void warmUp(Duration atMost) {
      throw new UnsupportedOperationException("warm");
    }

    /** Returns the number of bits of the vectors that it uses; 0 if it uses none. */
    default int vectorBits() {
      return 0;
    }
  }

  /** A loader of programs. */
  @FunctionalInterface
  public interface Loader {
    /**
     * Loads a program.
     *
     * @param folder its folder
     * @return the program
     * @throws Exception if it is not supported; the message says why
     */
    Program load(Path folder) throws Exception;
  }

  private Server() {}

  private static String property(String name, String otherwise) {
    return System.getProperty("hlo4j.bench." + name, otherwise);
  }

  /**
   * Executes commands until the input ends.
   *
   * @param loader the loader of programs
   * @throws Exception if a program fails after it has been loaded
   */
  public static void serve(Loader loader) throws Exception {
    PrintStream out = System.out;
    System.setOut(System.err); // output of libraries must not mix with the replies
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
      } else if (words[0].equals("vectors")) {
        out.println(program.vectorBits());
      } else if (words[0].equals("result")) {
        program.save(Path.of(words[1]));
        out.println("ok");
      } else if (words[0].equals("runs")) {
        StringBuilder micros = new StringBuilder();
        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
          micros.append(runMicros(program)).append(' ');
        }
        out.println(micros);
      } else if (words[0].equals("warm")) {
        long start = System.nanoTime();
        program.warmUp(Duration.ofSeconds(Long.parseLong(words[1])));
        out.println((System.nanoTime() - start) / 1000.0);
      } else if (words[0].equals("heap")) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        out.println((runtime.totalMemory() - runtime.freeMemory()) / 1e6);
      } else {
        boolean compiles = words[0].equals("compile");
        out.println(median(program, Integer.parseInt(words[1]), compiles ? 1 : batch, compiles));
      }
      out.flush();
    }
  }

  /** Runs a program for a while; returns the number of runs that a sample needs. */
  private static int warm(Program program) throws Exception {
    long start = System.nanoTime();
    int runs = 0;
    double shortest = Double.MAX_VALUE;
    while (WARM_SECONDS > 0 && (runs < 3 || System.nanoTime() - start < WARM_SECONDS * 1e9)) {
      shortest = Math.min(shortest, runMicros(program));
      runs++;
    }
    return (int) Math.clamp(SAMPLE_MICROS / Math.max(shortest, 0.02), 1, 5000);
  }

  private static double runMicros(Program program) throws Exception {
    long before = System.nanoTime();
    program.run();
    return (System.nanoTime() - before) / 1000.0;
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
