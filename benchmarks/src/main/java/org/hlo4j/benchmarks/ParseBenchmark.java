package org.hlo4j.benchmarks;

import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of parsing HLO text after a warm-up. The column {@code megabytes} counts millions of
 * characters per second. It should be at least 20, and equal for all sizes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ParseBenchmark {
  /** The contents of the text. */
  public enum Kind {
    /** A long chain of instructions with metadata. */
    INSTRUCTIONS,
    /** One large constant of floats. */
    FLOATS,
    /** One large constant of integers. */
    INTEGERS
  }

  /** The number of characters read. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Volume {
    /** The number in millions. */
    public double megabytes;
  }

  /** The contents of the text. */
  @Param public Kind kind;

  /** The number of instructions, or of rows of 100 elements. */
  @Param({"1000", "10000"})
  public int size;

  private String text = "";

  /** Generates the text. */
  @Setup
  public void write() {
    text =
        switch (kind) {
          case INSTRUCTIONS -> instructions();
          case FLOATS -> constant("f32");
          case INTEGERS -> constant("s32");
        };
  }

  private String instructions() {
    StringBuilder all = new StringBuilder("HloModule chain\n\nENTRY %main {\n");
    all.append("  %add.0 = f32[128,256]{1,0} parameter(0)\n");
    for (int i = 1; i <= size; i++) {
      all.append("  %add.").append(i);
      all.append(" = f32[128,256]{1,0} add(f32[128,256]{1,0} %add.").append(i - 1);
      all.append(", f32[128,256]{1,0} %add.0), metadata={op_name=\"jit(f)/jit(main)/add\"");
      all.append(" source_file=\"/home/user/model.py\" source_line=").append(i).append("}\n");
    }
    return all.append("}\n").toString();
  }

  private String constant(String type) {
    Random random = new Random(1);
    String rows =
        IntStream.range(0, size)
            .mapToObj(i ->
                IntStream.range(0, 100)
                    .mapToObj(j -> element(type, random))
                    .collect(Collectors.joining(", ", "{ ", " }")))
            .collect(Collectors.joining(", ", "{ ", " }"));
    return "c = " + type + "[" + size + ",100] constant(" + rows + ")";
  }

  private static String element(String type, Random random) {
    return type.equals("f32")
        ? String.format(Locale.ROOT, "%.6g", random.nextGaussian())
        : Integer.toString(random.nextInt());
  }

  /**
   * Parses the text.
   *
   * @param volume the counter of characters
   * @return the module
   */
  @Benchmark
  public HloModule parse(Volume volume) {
    volume.megabytes += text.length() / 1e6;
    return Parser.parse(text);
  }
}
