package org.hlo4j.interpreter;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import java.util.function.Supplier;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;

/**
 * What this machine does at most, with the threads of the compiled evaluator: the speed of a matrix
 * product and that of memory. Measured once per process, in about half a second.
 *
 * @param flopsPerSecond arithmetic operations per second of a product of f32[512,512]
 * @param bytesPerSecond bytes read and written per second by the sum of two arrays of 32 MB
 */
public record MachineLimits(double flopsPerSecond, double bytesPerSecond) {
  private static final long NANOS = 250_000_000;
  private static final int SIZE = 512;
  private static final int ELEMENTS = 1 << 23;

  private static final Supplier<MachineLimits> MEASURED =
      Suppliers.memoize(() ->
          new MachineLimits(
              2.0 * SIZE * SIZE * SIZE / seconds(product()),
              3.0 * Float.BYTES * ELEMENTS / seconds(sum())));

  /**
   * Returns the limits of this machine. The first call measures them.
   *
   * @return the limits
   */
  public static MachineLimits measured() {
    return MEASURED.get();
  }

  /**
   * Returns the time that some work takes at least.
   *
   * @param flops arithmetic operations
   * @param bytes bytes read and written
   * @return the time, in nanoseconds
   */
  public double nanos(double flops, double bytes) {
    return 1e9 * Math.max(flops / flopsPerSecond, bytes / bytesPerSecond);
  }

  /**
   * Returns which limit is nearer for some work.
   *
   * @param flops arithmetic operations
   * @param bytes bytes read and written
   * @return whether memory limits it, and not arithmetic
   */
  public boolean isMemoryBound(double flops, double bytes) {
    return bytes / bytesPerSecond > flops / flopsPerSecond;
  }

  private static HloModule product() {
    Dims none = Dims.of();
    return ofTwo(
        Shape.of(ElementType.F32, SIZE, SIZE), Dot.general(none, Dims.of(1), none, Dims.of(0)));
  }

  private static HloModule sum() {
    return ofTwo(Shape.of(ElementType.F32, ELEMENTS), new Elementwise(Elementwise.Kind.ADD));
  }

  private static HloModule ofTwo(Shape.Array shape, org.hlo4j.hlo.op.Op op) {
    HloInstruction x = HloInstruction.of("x", new Parameter(0, shape));
    HloInstruction y = HloInstruction.of("y", new Parameter(1, shape));
    HloInstruction result = HloInstruction.of("result", op, x, y);
    return HloModule.create(
        "limits", HloComputation.create("e", ImmutableList.of(x, y, result), result));
  }

  /** Returns the time of the fastest run. */
  private static double seconds(HloModule module) {
    Executable program = Interpreter.compiled().compile(module);
    Literal x = Literal.zeros((Shape.Array) program.signature().parameters().get(0));
    Literal y = Literal.zeros((Shape.Array) program.signature().parameters().get(1));
    Literal result = program.newResult();
    long fastest = Long.MAX_VALUE;
    long end = System.nanoTime() + NANOS;
    for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
      program.unsafeRunInto(result, x, y);
      fastest = Math.min(fastest, System.nanoTime() - start);
    }
    return fastest / 1e9;
  }
}
