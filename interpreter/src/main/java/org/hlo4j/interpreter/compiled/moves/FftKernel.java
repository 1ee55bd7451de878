package org.hlo4j.interpreter.compiled.moves;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.interpreter.compiled.arrays.Doubles;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * Discrete Fourier transforms: dimension after dimension, in double. The first reads the operand,
 * the last writes the result, and between them is work on complex numbers, of which those that
 * follow from others by symmetry are left out.
 */
final class FftKernel implements Kernel {
  private static final int CHUNK = 1 << 15;
  private static final int LONG_LINE = 1 << 12;
  private static final int GROUP = 4;

  private final Fft op;
  private final Shape.Array operand;
  private final Shape.Array shape;
  private final Dims sizes;
  private final int[] strides;
  private final int count;
  private final Transform[] transforms;

  private FftKernel(Fft op, Shape.Array operand, Shape.Array shape) {
    this.op = op;
    this.operand = operand;
    this.shape = shape;
    this.sizes = op.fftType() == Fft.FftType.RFFT ? shape.sizes() : operand.sizes();
    this.strides = Strides.of(sizes);
    this.count = shape.elementCount() == 0 ? 0 : (int) sizes.product();
    this.transforms = new Transform[op.fftLength().count()];
    for (int i = 0; i < transforms.length && count > 0; i++) {
      transforms[i] = new Transform(op.fftLength().getInt(i), op.fftType().isInverse());
    }
  }

  /** The kernel, if there is room for its lines. */
  static Optional<Kernel> of(Fft op, Shape.Array operand, Shape.Array shape) {
    return Optional.of(op)
        .filter(fft -> fft.fftLength().stream().allMatch(Transform::takes))
        .map(fft -> new FftKernel(fft, operand, shape));
  }

  /** One dimension's transforms: of which lines, from where, to where. */
  private record Pass(
      Transform plan, int stride, boolean isLast, ComplexNumbers from, ComplexNumbers to) {
    /** Where a line begins. */
    int start(int line, ComplexNumbers numbers) {
      return isLast
          ? line * numbers.lineLength()
          : line / stride * stride * plan.length + line % stride;
    }

    /** How many numbers of a line there are. */
    int length(ComplexNumbers numbers) {
      return isLast ? Math.min(plan.length, numbers.lineLength()) : plan.length;
    }

    /** How far apart the numbers of a line lie in their array. */
    int step(ComplexNumbers numbers) {
      return (isLast ? 1 : stride) * numbers.step();
    }

    /** Whether the second half of a line is that of the first, mirrored. */
    boolean isMirrored() {
      return isLast && from.lineLength() < plan.length;
    }
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    if (count > 0) {
      ComplexNumbers from = ComplexNumbers.of(operand, operands[0].unsafeStorage());
      transform(from, ComplexNumbers.of(shape, result), context);
    }
    return Literal.unsafeOf(shape, result);
  }

  private void transform(
      ComplexNumbers operandNumbers, ComplexNumbers result, KernelContext context) {
    int dimensions = transforms.length;
    ComplexNumbers work =
        dimensions == 1 ? result : ComplexNumbers.work(count, sizes.getInt(sizes.count() - 1));
    ComplexNumbers from = operandNumbers;
    for (int i = 0; i < dimensions; i++) {
      boolean upward = op.fftType() == Fft.FftType.IRFFT;
      int number = upward ? i : dimensions - 1 - i;
      int dimension = sizes.count() - dimensions + number;
      ComplexNumbers to = i == dimensions - 1 ? result : work;
      boolean isLast = number == dimensions - 1;
      run(new Pass(transforms[number], strides[dimension], isLast, from, to), dimension, context);
      from = to;
    }
  }

  private void run(Pass pass, int dimension, KernelContext context) {
    int length = pass.plan().length;
    int lines = count / sizes.getInt(dimension);
    boolean together = length <= LONG_LINE && lines > 1;
    int least = Batch.WIDTH * (pass.isLast() ? 1 : GROUP);
    int each = together ? Math.max(least, CHUNK / length / least * least) : 1;
    context
        .workers()
        .run(
            Math.ceilDiv(lines, each),
            chunk -> {
              context.checkLimits();
              int end = Math.min(lines, (chunk + 1) * each);
              if (together) {
                batches(pass, chunk * each, end);
              } else {
                line(pass, chunk);
              }
            });
  }

  /** Some batches at a time: where lines lie side by side, long runs of neighbours are read. */
  private static void batches(Pass pass, int first, int end) {
    Batch[] batches = new Batch[pass.isLast() ? 1 : GROUP];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = new Batch(pass.plan());
    }
    int together = batches.length * Batch.WIDTH;
    for (int line = first; line < end; line += together) {
      int many = Math.min(together, end - line);
      boolean neighbours = line % pass.stride() + many <= pass.stride();
      boolean isFull = many == together && neighbours && !pass.isLast();
      for (Batch batch : batches) {
        batch.clear();
      }
      if (isFull && pass.from().re() instanceof double[] re && pass.from().step() == 1) {
        int at = pass.start(line, pass.from());
        Batch.takeAll(batches, re, at, pass.stride(), false);
        Batch.takeAll(batches, (double[]) pass.from().im(), at, pass.stride(), true);
      } else {
        for (int i = 0; i * Batch.WIDTH < many; i++) {
          int[] starts = starts(pass, pass.from(), line, many, i);
          batches[i].take(pass.from(), starts, pass.step(pass.from()), pass.length(pass.from()));
        }
      }
      for (int i = 0; i * Batch.WIDTH < many; i++) {
        if (pass.isMirrored()) {
          batches[i].mirror();
        }
        batches[i].apply();
      }
      put(pass, batches, line, many, isFull);
    }
  }

  /** Where the lines of one of the batches begin. */
  private static int[] starts(Pass pass, ComplexNumbers numbers, int first, int many, int batch) {
    int[] starts = new int[Math.min(Batch.WIDTH, many - batch * Batch.WIDTH)];
    for (int i = 0; i < starts.length; i++) {
      int line = first + batch * Batch.WIDTH + i;
      starts[i] = pass.start(line, numbers) * numbers.step();
    }
    return starts;
  }

  private static void put(Pass pass, Batch[] batches, int line, int many, boolean isFull) {
    ComplexNumbers to = pass.to();
    if (isFull) {
      int at = pass.start(line, to) * to.step();
      int stride = pass.stride() * to.step();
      Batch.putAll(batches, to.re(), at, stride, to.step(), false);
      Batch.putAll(batches, to.im(), at + to.shift(), stride, to.step(), true);
      return;
    }
    for (int i = 0; i * Batch.WIDTH < many; i++) {
      int[] starts = starts(pass, to, line, many, i);
      batches[i].put(to, starts, pass.step(to), pass.length(to));
    }
  }

  private static void line(Pass pass, int line) {
    Transform plan = pass.plan();
    double[] re = new double[plan.length];
    double[] im = new double[plan.length];
    ComplexNumbers from = pass.from();
    int at = pass.start(line, from) * from.step();
    int step = pass.step(from);
    Doubles.read(ElementType.F64, from.re(), at, step, re, 0, pass.length(from));
    if (from.isComplex()) {
      Doubles.read(ElementType.F64, from.im(), at + from.shift(), step, im, 0, pass.length(from));
    }
    if (pass.isMirrored()) {
      mirror(re, im);
    }
    plan.apply(re, im, new double[plan.convolvedLength()], new double[plan.convolvedLength()]);
    ComplexNumbers to = pass.to();
    at = pass.start(line, to) * to.step();
    step = pass.step(to);
    Doubles.write(ElementType.F64, re, 0, to.re(), at, step, pass.length(to));
    if (to.isComplex()) {
      Doubles.write(ElementType.F64, im, 0, to.im(), at + to.shift(), step, pass.length(to));
    }
  }

  /** {@code line[n - k] = conjugate(line[k])}, which makes the transform real. */
  private static void mirror(double[] re, double[] im) {
    int n = re.length;
    im[0] = 0;
    for (int k = 1; 2 * k < n; k++) {
      re[n - k] = re[k];
      im[n - k] = -im[k];
    }
    if (n % 2 == 0) {
      im[n / 2] = 0;
    }
  }

  @Override
  public String describe() {
    return "fft " + op.fftType() + " of " + op.fftLength() + " to " + shape;
  }
}
