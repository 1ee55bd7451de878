package org.hlo4j.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.vhlo.PortableArtifact;
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
 * A benchmark of reading StableHLO after a warm-up. The column {@code megabytes} counts millions of
 * bytes per second. It should be at least 20 for text and at least 60 for artifacts, and equal for
 * all sizes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class StableHloBenchmark {
  /** The number of bytes read. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Volume {
    /** The number in millions. */
    public double megabytes;
  }

  /** The number of operations of the module. */
  @Param({"7000", "70000"})
  public int operations;

  private byte[] text = {};
  private byte[] artifact = {};

  /** Generates a chain of operations with locations. */
  @Setup
  public void write() {
    StringBuilder all =
        new StringBuilder("func.func @main(%0: tensor<128x256xf32>) -> tensor<128x256xf32> {\n");
    for (int i = 0; i < operations; i++) {
      all.append("  %").append(i + 1).append(" = stablehlo.add %").append(i).append(", %0");
      all.append(" : tensor<128x256xf32> loc(\"model.py\":").append(i + 1).append(":8)\n");
    }
    all.append("  return %").append(operations).append(" : tensor<128x256xf32>\n}\n");
    text = all.toString().getBytes(StandardCharsets.UTF_8);
    artifact = PortableArtifact.write(StableHlo.readAll(text).get(0));
  }

  /**
   * Reads the text.
   *
   * @param volume the counter of bytes
   * @return the module
   */
  @Benchmark
  public Operation text(Volume volume) {
    volume.megabytes += text.length / 1e6;
    return StableHlo.readAll(text).get(0);
  }

  /**
   * Reads the artifact.
   *
   * @param volume the counter of bytes
   * @return the module
   */
  @Benchmark
  public Operation artifact(Volume volume) {
    volume.megabytes += artifact.length / 1e6;
    return StableHlo.readAll(artifact).get(0);
  }

  /**
   * Reads the artifact and converts it to HLO.
   *
   * @param volume the counter of bytes
   * @return the HLO module
   */
  @Benchmark
  public HloModule imported(Volume volume) {
    volume.megabytes += artifact.length / 1e6;
    return StableHlo.toHlo(StableHlo.readAll(artifact).get(0));
  }
}
