package org.hlo4j.interpreter.compiled.fft;

import static java.util.Objects.requireNonNull;

import java.lang.ref.SoftReference;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The kernel of discrete Fourier transforms, computed in double, one dimension after another. The
 * first pass reads the operand and the last one writes the result. Between passes, there is a plane
 * of complex numbers in memory. Numbers that follow from others by symmetry are left out.
 */
public final class FftKernel implements Kernel {
  private static final int MAX_LENGTH = 1 << 28;

  private final Fft op;
  private final Shape.Array shape;
  private final Shape.Array operand;
  private final double scale;
  private final AtomicReference<SoftReference<List<FftPass>>> cachedPasses =
      new AtomicReference<>(new SoftReference<>(null));
  private final AtomicReference<SoftReference<FftGrid>> cachedPlane =
      new AtomicReference<>(new SoftReference<>(null));

  private FftKernel(Fft op, Shape.Array operand, Shape.Array shape) {
    this.op = op;
    this.operand = operand;
    this.shape = shape;
    int dimensions = op.fftLength().count();
    double product = 1;
    for (int i = 0; i < dimensions; i++) {
      product *= op.fftLength().getInt(i);
    }
    boolean isPaired =
        dimensions > 0 && LinePass.isHalved(op.fftType(), op.fftLength().getInt(dimensions - 1));
    this.scale = op.fftType().isInverse() ? (isPaired ? 2 : 1) / product : 1;
  }

  /**
   * Makes the vector form of all kernels that exist so far available now, although C2 has not
   * compiled it yet.
   */
  static void prepare() {
    TieredFftStep.prepare();
  }

  /**
   * Returns the kernel of a transform. Declines lengths that differ from the sizes of a complex
   * operand, and lengths and arrays of 2^28 elements or more.
   */
  public static KernelChoice of(Fft op, Shape.Array operand, Shape.Array shape) {
    if (op.isComplexToComplex() && !op.hasLengthsOf(operand.sizes())) {
      return KernelChoice.decline("lengths other than sizes of " + operand);
    }
    boolean fits =
        op.fftLength().stream().allMatch(length -> length < MAX_LENGTH)
            && Math.max(operand.elementCount(), shape.elementCount()) < MAX_LENGTH;
    return fits
        ? KernelChoice.of(new FftKernel(op, operand, shape))
        : KernelChoice.decline("a length of " + MAX_LENGTH + " or more");
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    if (shape.elementCount() == 0) {
      return Literal.unsafeOf(shape, result);
    }
    long bytes = FftStages.bytes(op, shape, context.workers().count());
    context.reserve(bytes, () -> "tables of an " + describe());
    List<FftPass> passes = passes();
    FftGrid plane = passes.size() == 1 ? null : plane();
    FftBuffer from = new FftBuffer.LiteralBuffer(operands[0].unsafeStorage());
    for (int i = 0; i < passes.size(); i++) {
      boolean isLast = i == passes.size() - 1;
      FftBuffer to =
          isLast || plane == null
              ? new FftBuffer.LiteralBuffer(result)
              : new FftBuffer.Planar(plane);
      run(
          passes.get(i),
          new FftPass.PassArguments(from, to, op.fftType().isInverse(), scale),
          context);
      from = to;
    }
    cachedPlane.set(new SoftReference<>(plane));
    context.unreserve(bytes);
    return Literal.unsafeOf(shape, result);
  }

  /** Returns the passes, whose tables are made at the first run and kept while there is room. */
  private List<FftPass> passes() {
    List<FftPass> passes = requireNonNull(cachedPasses.get()).get();
    if (passes == null) {
      passes = FftStages.of(op, operand, shape);
      cachedPasses.set(new SoftReference<>(passes));
    }
    return passes;
  }

  /**
   * Returns the plane of intermediate results: that of the last run, unless a concurrent run has
   * taken it.
   */
  private FftGrid plane() {
    FftGrid last = cachedPlane.getAndSet(new SoftReference<>(null)).get();
    boolean isReal = op.fftType() == Fft.FftType.RFFT;
    int numbers = (int) (isReal ? shape : operand).elementCount();
    return last == null ? new AlignedSlab().part(numbers, 1) : last;
  }

  private static void run(
      FftPass pass, FftPass.PassArguments passArguments, KernelContext context) {
    new Parallel(context, !pass.hasSharedChunks(context.workers().count()), pass.chunks())
        .forEach(chunk -> {
          FftWorkspace workspace = FftWorkspace.borrow(context.workers());
          pass.run(passArguments, chunk, workspace);
          workspace.release();
        });
  }

  @Override
  public String describe() {
    return "fft " + op.fftType() + " of " + op.fftLength() + " to " + shape;
  }
}
