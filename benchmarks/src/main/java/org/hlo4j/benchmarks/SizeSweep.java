package org.hlo4j.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;

/**
 * A test for cliffs between neighbouring sizes of products and convolutions. It fails if the time
 * for a multiply-add is more than {@value #CLIFF} times that of the next size, in processor time of
 * one thread, so that load on the machine matters little.
 *
 * <pre>
 *   mvn -q -Dquick -pl benchmarks -am compile exec:exec -Dmain=org.hlo4j.benchmarks.SizeSweep \
 *     -Dbenchmark="f32 NN .*"
 * </pre>
 *
 * <p>The argument is a regular expression for the names of lines; all take the better part of an
 * hour.
 */
public final class SizeSweep {
  static final double CLIFF = 2.5;

  /** The time of a run below which what a call costs counts more than its multiply-adds. */
  private static final double MIN_NANOS = 2_000;

  private static final int VECTOR_LANES = 16;
  private static final int ROUNDS = 3;
  private static final long ROUND_NANOS = 3_000_000;
  private static final long SAMPLE_NANOS = 200_000;
  private static final int SAMPLES = 6;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Evaluator EVALUATOR =
      Interpreter.compiled(EvaluatorOptions.builder().threads(1).build());

  private SizeSweep() {}

  /** A program of one size. */
  private static final class Program {
    private final String size;
    private final double work;
    private final Executable executable;
    private final Literal[] arguments;
    private double nanos = Double.MAX_VALUE;

    Program(String size, double work, String hlo) {
      this.size = size;
      this.work = work;
      this.executable = EVALUATOR.compile(Parser.parse(hlo));
      Random random = new Random(1);
      this.arguments =
          executable.signature().parameters().stream()
              .map(shape -> literal((Shape.Array) shape, random))
              .toArray(Literal[]::new);
    }

    private static Literal literal(Shape.Array shape, Random random) {
      ElementType type = shape.elementType();
      long mask = -1L >>> (Long.SIZE - type.bits());
      return Literal.ofBits(
          shape,
          i -> {
            int value = random.nextInt(7) - 3;
            return type.isFloating() ? type.encode(value) : value & mask;
          });
    }

    /** Runs for some processor time. */
    void run(long atLeast) {
      long start = THREADS.getCurrentThreadCpuTime();
      do {
        var _ = executable.run(arguments);
      } while (THREADS.getCurrentThreadCpuTime() - start < atLeast);
    }

    void measure() {
      int count = 1;
      for (int sample = 0; sample < SAMPLES; sample++) {
        long start = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < count; i++) {
          var _ = executable.run(arguments);
        }
        double each = (double) (THREADS.getCurrentThreadCpuTime() - start) / count;
        nanos = Math.min(nanos, each);
        count = (int) Math.clamp(SAMPLE_NANOS / Math.max(1, each), 1, 1_000);
      }
    }

    /** Returns how many times as long as another program this takes for a multiply-add. */
    double times(Program other) {
      return nanos / work / (other.nanos / other.work);
    }

    String plan() {
      return executable
          .explain()
          .lines()
          .filter(line -> line.contains("gemm") || line.contains("reference"))
          .findFirst()
          .orElse("")
          .strip()
          .replaceAll(".*(gemm|reference)|\\| .*", "$1");
    }
  }

  /** Programs of which one size grows. */
  private record Line(String name, IntStream sizes, IntFunction<Program> program) {}

  /**
   * Measures the lines.
   *
   * @param args a regular expression for the names of lines
   */
  public static void main(String[] args) {
    int cliffs = 0;
    for (Line line : lines()) {
      if (args.length == 0 || line.name().matches(args[0])) {
        cliffs += cliffs(line);
      }
    }
    IO.println(cliffs + " sizes take more than " + CLIFF + " times as long as their neighbours");
    System.exit(cliffs == 0 ? 0 : 1);
  }

  private static List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    for (String type : new String[] {"f32", "bf16", "s8"}) {
      for (String form : new String[] {"NN", "NT", "TN", "TT"}) {
        String name = type + " " + form;
        for (int[] mn : new int[][] {{256, 1}, {1, 64}, {5, 12}, {40, 3}, {40, 40}}) {
          add(lines, name, 300, mn[0], 0, mn[1]);
        }
        for (int[] mk : new int[][] {{1, 64}, {1, 300}, {4, 300}, {40, 100}}) {
          add(lines, name, 130, mk[0], mk[1], 0);
        }
        for (int[] kn : new int[][] {{300, 1}, {300, 12}, {64, 64}}) {
          add(lines, name, 40, 0, kn[0], kn[1]);
        }
      }
    }
    for (String labels : new String[] {"b01f_01io->b01f", "bf01_oi01->bf01"}) {
      for (int window : new int[] {1, 3}) {
        String name = "conv " + labels + " " + window + "x" + window;
        IntStream sizes = IntStream.rangeClosed(1, 70);
        lines.add(new Line(name + " in", sizes, c -> convolution(labels, window, c, 32, 1, c)));
        sizes = IntStream.rangeClosed(1, 70);
        lines.add(new Line(name + " out", sizes, c -> convolution(labels, window, 32, c, 1, c)));
        sizes = IntStream.rangeClosed(1, 70);
        lines.add(new Line(name + " deep", sizes, c -> convolution(labels, window, c, c, c, c)));
      }
    }
    return lines;
  }

  /** Adds the products of which the size that is 0 grows. */
  private static void add(List<Line> lines, String name, int most, int m, int k, int n) {
    lines.add(
        new Line(
            name + " " + m + "x" + k + "x" + n,
            IntStream.rangeClosed(1, most),
            size -> dot(name, size, m == 0 ? size : m, k == 0 ? size : k, n == 0 ? size : n)));
  }

  private static Program dot(String name, int size, int m, int k, int n) {
    String type = name.substring(0, name.indexOf(' '));
    String form = name.substring(type.length() + 1);
    boolean isLeft = form.startsWith("T");
    boolean isRight = form.endsWith("T");
    return new Program(
        "" + size,
        (double) m * k * n,
        """
        HloModule m
        ENTRY e {
          x = %1$s[%3$d,%4$d] parameter(0)
          y = %1$s[%5$d,%6$d] parameter(1)
          ROOT d = %2$s[%7$d,%8$d] dot(x, y), lhs_contracting_dims={%9$d}, rhs_contracting_dims={%10$d}
        }
        """
            .formatted(
                type,
                type.equals("s8") ? "s32" : type,
                isLeft ? k : m,
                isLeft ? m : k,
                isRight ? n : k,
                isRight ? k : n,
                m,
                n,
                isLeft ? 0 : 1,
                isRight ? 1 : 0));
  }

  private static Program convolution(
      String labels, int window, int in, int out, int groups, int size) {
    boolean isLast = labels.startsWith("b01f");
    String image = isLast ? "f32[1,28,28,%d]" : "f32[1,%d,28,28]";
    String kernel = isLast ? "f32[%1$d,%1$d,%2$d,%3$d]" : "f32[%3$d,%2$d,%1$d,%1$d]";
    return new Program(
        "" + size,
        28.0 * 28 * window * window * in * out / groups,
        """
        HloModule m
        ENTRY e {
          x = %s parameter(0)
          y = %s parameter(1)
          ROOT d = %s convolution(x, y), window={size=%4$dx%4$d pad=%5$d_%5$dx%5$d_%5$d}, dim_labels=%6$s, feature_group_count=%7$d
        }
        """
            .formatted(
                image.formatted(in),
                kernel.formatted(window, in / groups, out),
                image.formatted(out),
                window,
                window / 2,
                labels,
                groups));
  }

  private static int cliffs(Line line) {
    List<Program> programs = line.sizes().mapToObj(line.program()).toList();
    for (int round = 0; round < ROUNDS; round++) {
      programs.forEach(program -> program.run(ROUND_NANOS));
    }
    Set<String> ready = new HashSet<>();
    for (Program program : programs) {
      // Plans do not tell the parts of kernels that depend on sizes below that of a vector.
      boolean isSmall = Integer.parseInt(program.size) <= VECTOR_LANES;
      if (ready.add(program.plan().replaceFirst(".*: ", "")) || isSmall) {
        boolean _ = program.executable.warmUp(Duration.ofSeconds(10), program.arguments);
      }
    }
    programs.forEach(Program::measure);
    int cliffs = 0;
    for (int i = 1; i < programs.size(); i++) {
      cliffs += isCliff(line, programs.get(i - 1), programs.get(i)) ? 1 : 0;
    }
    IO.println(line.name() + ": " + cliffs + " cliffs in " + programs.size() + " sizes");
    return cliffs;
  }

  private static boolean isCliff(Line line, Program one, Program other) {
    for (int again = 0; again < ROUNDS && isCliff(one, other); again++) {
      one.measure();
      other.measure();
    }
    if (!isCliff(one, other)) {
      return false;
    }
    Program slow = one.times(other) > 1 ? one : other;
    Program fast = slow == one ? other : one;
    IO.println(
        String.format(
            Locale.ROOT,
            "%s: %s takes %.1f us, %s %.1f us, %.1f times for each multiply-add | %s | %s",
            line.name(),
            slow.size,
            slow.nanos / 1e3,
            fast.size,
            fast.nanos / 1e3,
            slow.times(fast),
            slow.plan(),
            fast.plan()));
    return true;
  }

  private static boolean isCliff(Program one, Program other) {
    return Math.max(one.nanos, other.nanos) > MIN_NANOS
        && Math.max(one.times(other), other.times(one)) > CLIFF;
  }
}
