package org.hlo4j.interpreter.compiled.fft;

import static java.util.Objects.requireNonNull;

import java.lang.ref.SoftReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of discrete Fourier transforms, computed in double, one dimension after another. The
 * first pass reads the operand and the last one writes the result. Between passes, there is a plane
 * of complex numbers in memory. Numbers that follow from others by symmetry are left out.
 */
public final class FftKernel implements Kernel {
  private static final int MAX_LENGTH = 1 << 28;
  private static final int LONG = 1 << 15;
  private static final int LONG_OF_FEW = 1 << 12;
  private static final int FEW = 4;

  private final Fft op;
  private final Shape.Array shape;
  private final int count;
  private final List<Stage> stages = new ArrayList<>();
  private final double scale;
  private final AtomicReference<SoftReference<Map<Target, FftGrid>>> cachedPlanes =
      new AtomicReference<>(new SoftReference<>(null));

  /** A pass and the target of its results. */
  private record Stage(FftPass pass, Target to) {}

  /** The target of a pass: one of two planes of intermediate results, or the result. */
  private enum Target {
    WORK,
    OTHER_WORK,
    RESULT
  }

  private FftKernel(Fft op, Shape.Array operand, Shape.Array shape) {
    this.op = op;
    this.shape = shape;
    Dims sizes = op.fftType() == Fft.FftType.RFFT ? shape.sizes() : operand.sizes();
    this.count = shape.elementCount() == 0 ? 0 : (int) sizes.product();
    int dimensions = count == 0 ? 0 : op.fftLength().count();
    if (dimensions == 1) {
      addLines(sizes);
    } else {
      for (int i = 0; i < dimensions; i++) {
        boolean isUpward = op.fftType() == Fft.FftType.IRFFT;
        Target to = i == dimensions - 1 ? Target.RESULT : Target.WORK;
        stages.add(new Stage(pass(sizes, isUpward ? i : dimensions - 1 - i), to));
      }
    }
    double product = 1;
    for (int i = 0; i < dimensions; i++) {
      product *= op.fftLength().getInt(i);
    }
    boolean isPaired = dimensions > 0 && kind().isHalved(op.fftLength().getInt(dimensions - 1));
    this.scale = op.fftType().isInverse() ? (isPaired ? 2 : 1) / product : 1;
  }

  /**
   * Makes the vector form of all kernels that exist so far available now, although C2 has not
   * compiled it yet.
   */
  static void prepare() {
    TieredFftStep.prepare();
  }

  private LineKind kind() {
    return LineKind.of(op.fftType());
  }

  /**
   * Adds the stages of a transform along the last dimension only. Threads share lines that are
   * long, or few and not short.
   */
  private void addLines(Dims sizes) {
    int lines = count / sizes.getInt(sizes.count() - 1);
    int length = op.fftLength().getInt(0);
    int numbers = kind().isHalved(length) ? length / 2 : length;
    boolean isLong = numbers >= (lines < FEW ? LONG_OF_FEW : LONG);
    boolean isShared = isLong && Lengths.isSmooth(numbers) && Lengths.rows(numbers) > 0;
    if (!isShared || (kind() != LineKind.COMPLEX && !kind().isHalved(length))) {
      stages.add(new Stage(new LinePass(kind(), length, lines), Target.RESULT));
      return;
    }
    FourSteps steps = new FourSteps(numbers);
    FftPass transposed = new TransposedPass(steps, lines);
    FftPass columns = new ColumnPass(steps.second, steps.rows, lines * steps.rows);
    switch (kind()) {
      case COMPLEX -> {
        stages.add(new Stage(transposed, Target.WORK));
        stages.add(new Stage(columns, Target.RESULT));
      }
      case FROM_REAL -> {
        stages.add(new Stage(transposed, Target.WORK));
        stages.add(new Stage(columns, Target.WORK));
        RealLines reals = new RealLines(length, false);
        stages.add(new Stage(new MirrorPass(reals, true, length, lines), Target.RESULT));
      }
      case TO_REAL -> {
        RealLines reals = new RealLines(length, true);
        stages.add(new Stage(new MirrorPass(reals, false, length, lines), Target.WORK));
        stages.add(new Stage(transposed, Target.OTHER_WORK));
        stages.add(new Stage(columns, Target.RESULT));
      }
    }
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

  private FftPass pass(Dims sizes, int number) {
    int dimension = sizes.count() - op.fftLength().count() + number;
    int lines = count / sizes.getInt(dimension);
    int length = op.fftLength().getInt(number);
    if (dimension == sizes.count() - 1) {
      return new LinePass(kind(), length, lines);
    }
    int stride = 1;
    for (int i = dimension + 1; i < sizes.count(); i++) {
      stride *= sizes.getInt(i);
    }
    return new ColumnPass(ColumnTransform.of(length), stride, lines);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    Map<Target, FftGrid> work = work();
    FftBuffer from = new FftBuffer.LiteralBuffer(operands[0].unsafeStorage());
    for (Stage stage : stages) {
      FftBuffer to =
          stage.to() == Target.RESULT
              ? new FftBuffer.LiteralBuffer(result)
              : new FftBuffer.Planar(requireNonNull(work.get(stage.to())));
      run(
          stage.pass(),
          new FftPass.PassArguments(from, to, op.fftType().isInverse(), scale),
          context);
      from = to;
    }
    cachedPlanes.set(new SoftReference<>(work));
    return Literal.unsafeOf(shape, result);
  }

  /**
   * Returns the planes of intermediate results: those of the last run, unless a concurrent run has
   * taken them.
   */
  private Map<Target, FftGrid> work() {
    Map<Target, FftGrid> last = cachedPlanes.getAndSet(new SoftReference<>(null)).get();
    if (last != null) {
      return last;
    }
    Map<Target, FftGrid> work = new EnumMap<>(Target.class);
    for (Stage stage : stages) {
      if (stage.to() != Target.RESULT) {
        work.computeIfAbsent(stage.to(), any -> new AlignedSlab().part(count, 1));
      }
    }
    return work;
  }

  private static void run(
      FftPass pass, FftPass.PassArguments passArguments, KernelContext context) {
    context
        .workers()
        .run(
            pass.pieces(),
            piece -> {
              context.checkLimits();
              FftWorkspace workspace = FftWorkspace.borrow();
              pass.run(passArguments, piece, workspace);
              workspace.release();
            });
  }

  @Override
  public String describe() {
    return "fft " + op.fftType() + " of " + op.fftLength() + " to " + shape;
  }
}
