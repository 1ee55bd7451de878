package org.hlo4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A regression test for performance cliffs of the JIT compiler. It fails if a kernel takes more
 * than {@value #CLIFF} times as long as recorded in a file, under either of two garbage collectors.
 * Times are relative to a yardstick, a plain loop over the nearest caches that the compiler
 * vectorizes by itself, so that the file is also valid on other machines with vectors of the same
 * length: the yardstick does not depend on it, but products do.
 *
 * <pre>
 *   mvn -q -pl benchmarks -am compile exec:exec -Dmain=org.hlo4j.benchmarks.CliffGuard \
 *     -Dbenchmark=cliffs.txt
 * </pre>
 *
 * <p>What the file does not have, it writes there. Delete lines to record new times when kernels
 * have become faster. {@code -Donly=REGEX} selects collectors and kernels, as in {@code .*G1GC .*}.
 */
public final class CliffGuard {
  static final double CLIFF = 3;
  private static final int ROUNDS = 5;
  private static final String ONLY = System.getProperty("hlo4j.bench.only", ".*");

  /** Long enough for every kernel to be compiled. */
  private static final int WARM_SECONDS = 5;

  private static final List<String> COLLECTORS = List.of("-XX:+UseG1GC", "-XX:+UseParallelGC");

  private CliffGuard() {}

  /**
   * Measures the kernels and compares their times with the recorded ones.
   *
   * @param args the file
   * @throws IOException if it cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    Path file = Path.of(args[0]);
    Map<String, Double> now = new LinkedHashMap<>();
    for (String collector : COLLECTORS) {
      now.putAll(measured(collector));
    }
    Map<String, Double> recorded = Files.exists(file) ? recorded(file) : new LinkedHashMap<>();
    List<String> fallen = fallen(recorded, now);
    fallen.forEach(IO::println);
    IO.println(now.size() + " kernels, " + fallen.size() + " off by more than " + CLIFF + " times");
    int before = recorded.size();
    now.forEach(recorded::putIfAbsent);
    if (recorded.size() > before) {
      Files.write(file, lines(recorded));
      IO.println("recorded " + (recorded.size() - before) + " ratios in " + file);
    }
    System.exit(fallen.isEmpty() ? 0 : 1);
  }

  private static List<String> lines(Map<String, Double> ratios) {
    List<String> lines = new ArrayList<>();
    lines.add("# bits of vectors, collector, kernel, runs of the yardstick: written by CliffGuard");
    ratios.forEach((name, ratio) -> lines.add(String.format(Locale.ROOT, "%s %.3f", name, ratio)));
    return lines;
  }

  private static Map<String, Double> recorded(Path file) throws IOException {
    Map<String, Double> recorded = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      int blank = line.lastIndexOf(' ');
      if (!line.startsWith("#") && blank > 0) {
        recorded.put(line.substring(0, blank), Double.valueOf(line.substring(blank + 1)));
      }
    }
    return recorded;
  }

  /** Returns the kernels that are slower than recorded by more than the limit. */
  static List<String> fallen(Map<String, Double> recorded, Map<String, Double> now) {
    List<String> fallen = new ArrayList<>();
    now.forEach((name, ratio) -> {
      Double before = recorded.get(name);
      if (before != null && ratio > CLIFF * before) {
        fallen.add(String.format(Locale.ROOT, "%s got %.3f, want about %s", name, ratio, before));
      }
    });
    return fallen;
  }

  private static Map<String, Double> measured(String collector) throws IOException {
    Map<String, Double> ratios = new LinkedHashMap<>();
    Path folder = Files.createTempDirectory("hlo4j-cliffs");
    List<String> options =
        List.of(
            collector,
            "-Xmx3g",
            "-Xms1g",
            "-Dhlo4j.bench.warm=" + WARM_SECONDS,
            "--add-modules",
            "jdk.incubator.vector");
    String main = Hlo4jServer.class.getName();
    try (Contender compiled = Contender.java("compiled", options, main, "compiled")) {
      for (Workload workload : Workload.all()) {
        Path program = Files.createDirectories(folder.resolve(workload.name()));
        Files.writeString(program.resolve("program.hlo.txt"), workload.hlo());
        String row = collector + " " + workload.name();
        if (!workload.isCompilation() && row.matches(ONLY) && compiled.load(program)) {
          ratios.put(compiled.vectorBits() + " " + row, ratio(compiled));
        }
      }
    }
    return ratios;
  }

  /** Returns the median ratio of a few rounds, in which kernel and yardstick run alternately. */
  private static double ratio(Contender compiled) {
    double[] ratios = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      OptionalDouble time = compiled.time(false, 5);
      ratios[round] = time.orElse(Double.NaN) / yardstick();
    }
    Arrays.sort(ratios);
    return ratios[ROUNDS / 2];
  }

  private static final float[] X = new float[1 << 14];
  private static final float[] Y = new float[1 << 14];

  /**
   * Returns the microseconds for a multiplication and an addition of vectors in the first-level
   * cache.
   */
  private static double yardstick() {
    double best = Double.MAX_VALUE;
    for (int run = 0; run < 200; run++) {
      long start = System.nanoTime();
      for (int i = 0; i < X.length; i++) {
        Y[i] = Y[i] * 0.5f + X[i];
      }
      best = Math.min(best, (System.nanoTime() - start) / 1000.0);
    }
    return best;
  }
}
