package org.hlo4j.interpreter.compiled.moves;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** Discrete Fourier transforms: line after line, dimension after dimension, in double. */
final class FftKernel implements Kernel {
  private static final int CHUNK = 1 << 14;
  private static final int WIDTH = 16;
  private static final int LONG_LINE = 1 << 12;

  private final Fft op;
  private final Shape.Array operand;
  private final Shape.Array shape;
  private final Dims sizes;
  private final int[] strides;
  private final int count;
  private final int last;
  private final Transform[] transforms;

  private FftKernel(Fft op, Shape.Array operand, Shape.Array shape) {
    this.op = op;
    this.operand = operand;
    this.shape = shape;
    this.sizes = op.fftType() == Fft.FftType.IRFFT ? shape.sizes() : operand.sizes();
    this.strides = Strides.of(sizes);
    this.count = (int) sizes.product();
    this.last = sizes.getInt(sizes.count() - 1);
    this.transforms = new Transform[op.fftLength().count()];
    int first = sizes.count() - transforms.length;
    for (int i = 0; i < transforms.length && count > 0; i++) {
      transforms[i] = new Transform(sizes.getInt(first + i), op.fftType().isInverse());
    }
  }

  /** The kernel, if there is room for its lines. */
  static Optional<Kernel> of(Fft op, Shape.Array operand, Shape.Array shape) {
    return Optional.of(op)
        .filter(fft -> fft.fftLength().stream().allMatch(Transform::takes))
        .map(fft -> new FftKernel(fft, operand, shape));
  }

  /** Real and imaginary parts of the array that is worked on. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them
  private record Work(double[] re, double[] im) {}

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    Work work = new Work(new double[count], new double[count]);
    load(operands[0].unsafeStorage(), work);
    int dimensions = transforms.length;
    if (op.fftType() == Fft.FftType.IRFFT) {
      for (int i = 0; i < dimensions - 1; i++) {
        transform(work, i, context);
      }
      mirror(work);
      transform(work, dimensions - 1, context);
    } else {
      for (int i = dimensions - 1; i >= 0; i--) {
        transform(work, i, context);
      }
    }
    store(work, result);
    return Literal.unsafeOf(shape, result);
  }

  private int lastSize(Shape.Array array) {
    return array.sizes().getInt(array.rank() - 1);
  }

  /** Puts the lines of the operand at the beginning of those worked on, which may be longer. */
  private void load(Object from, Work work) {
    int length = count == 0 ? 0 : Math.min(last, lastSize(operand));
    boolean complex = operand.elementType().isComplex();
    ElementType part = operand.elementType().componentType();
    for (int row = 0; length > 0 && row < count / last; row++) {
      int f = row * lastSize(operand) * (complex ? 2 : 1);
      int step = complex ? 2 : 1;
      Doubles.read(part, from, f, step, work.re(), row * last, length);
      if (complex) {
        Doubles.read(part, from, f + 1, step, work.im(), row * last, length);
      }
    }
  }

  private void store(Work work, Object to) {
    int length = count == 0 ? 0 : lastSize(shape);
    boolean complex = shape.elementType().isComplex();
    ElementType part = shape.elementType().componentType();
    for (int row = 0; length > 0 && row < count / last; row++) {
      int t = row * length * (complex ? 2 : 1);
      int step = complex ? 2 : 1;
      Doubles.write(part, work.re(), row * last, to, t, step, length);
      if (complex) {
        Doubles.write(part, work.im(), row * last, to, t + 1, step, length);
      }
    }
  }

  private void transform(Work work, int number, KernelContext context) {
    if (count == 0) {
      return;
    }
    int dimension = sizes.count() - transforms.length + number;
    int length = sizes.getInt(dimension);
    int stride = strides[dimension];
    int lines = count / length;
    boolean together = length <= LONG_LINE && lines >= WIDTH;
    int each = Math.max(together ? WIDTH : 1, CHUNK / length / WIDTH * WIDTH);
    context
        .workers()
        .run(
            Math.ceilDiv(lines, each),
            chunk -> {
              context.checkLimits();
              int end = Math.min(lines, (chunk + 1) * each);
              int alone = chunk * each;
              if (together) {
                alone = rows(work, transforms[number], stride, alone, end);
              }
              lines(work, transforms[number], length, stride, alone, end);
            });
  }

  /** As many lines at once as make full rows; says which is the next. */
  private static int rows(Work work, Transform transform, int stride, int from, int end) {
    int length = transform.length;
    double[][] re = new double[length][WIDTH];
    double[][] im = new double[length][WIDTH];
    TransformRows rows = new TransformRows(transform, WIDTH);
    int[] starts = new int[WIDTH];
    int line = from;
    for (; line + WIDTH <= end; line += WIDTH) {
      for (int i = 0; i < WIDTH; i++) {
        starts[i] = (line + i) / stride * stride * length + (line + i) % stride;
      }
      for (int k = 0; k < length; k++) {
        for (int i = 0; i < WIDTH; i++) {
          re[k][i] = work.re()[starts[i] + k * stride];
          im[k][i] = work.im()[starts[i] + k * stride];
        }
      }
      rows.apply(re, im);
      for (int k = 0; k < length; k++) {
        for (int i = 0; i < WIDTH; i++) {
          work.re()[starts[i] + k * stride] = re[k][i];
          work.im()[starts[i] + k * stride] = im[k][i];
        }
      }
    }
    return line;
  }

  private void lines(Work work, Transform transform, int length, int stride, int from, int end) {
    double[] re = new double[length];
    double[] im = new double[length];
    double[] paddedRe = new double[transform.convolvedLength()];
    double[] paddedIm = new double[transform.convolvedLength()];
    for (int line = from; line < end; line++) {
      int start = line / stride * stride * length + line % stride;
      for (int k = 0; k < length; k++) {
        re[k] = work.re()[start + k * stride];
        im[k] = work.im()[start + k * stride];
      }
      transform.apply(re, im, paddedRe, paddedIm);
      for (int k = 0; k < length; k++) {
        work.re()[start + k * stride] = re[k];
        work.im()[start + k * stride] = im[k];
      }
    }
  }

  /** {@code line[n - k] = conjugate(line[k])}, which makes the transform real. */
  private void mirror(Work work) {
    for (int start = 0; start < count; start += last) {
      work.im()[start] = 0;
      for (int k = 1; 2 * k < last; k++) {
        work.re()[start + last - k] = work.re()[start + k];
        work.im()[start + last - k] = -work.im()[start + k];
      }
      if (last % 2 == 0) {
        work.im()[start + last / 2] = 0;
      }
    }
  }

  @Override
  public String describe() {
    return "fft " + op.fftType() + " of " + op.fftLength() + " to " + shape;
  }
}
