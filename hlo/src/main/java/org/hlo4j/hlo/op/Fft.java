package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSortedSet;
import java.util.Comparator;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;

/**
 * Discrete Fourier transform of the last 1 to 3 dimensions.
 *
 * <pre>
 *   FFT     result[k] = sum over j of operand[j] * e^(-2 pi i j k / n)
 *   IFFT    result[k] = sum over j of operand[j] * e^(+2 pi i j k / n) / n
 *   RFFT    FFT of real numbers; of the last dimension only k = 0 ... n/2
 *   IRFFT   undoes RFFT: from n/2 + 1 complex to n real numbers
 * </pre>
 *
 * <p>Like XLA's verifier, this accepts any lengths for FFT and IFFT; evaluators refuse lengths that
 * are not the sizes of the operand.
 *
 * <p>IRFFT ignores the imaginary parts that RFFT leaves 0.
 *
 * @param fftType the transform
 * @param fftLength the length n of each transformed dimension, which is the size on the real, and
 *     larger, side
 */
public record Fft(FftType fftType, Dims fftLength) implements Routine {
  /** The transforms. */
  public enum FftType {
    /** Complex to complex, forward. */
    FFT,
    /** Complex to complex, inverse. */
    IFFT,
    /** Real to complex, forward. */
    RFFT,
    /** Complex to real, inverse. */
    IRFFT;

    /**
     * Returns whether this goes back from frequencies, with a positive exponent and divided by n.
     *
     * @return whether it is an inverse
     */
    public boolean isInverse() {
      return this == IFFT || this == IRFFT;
    }
  }

  @Override
  public String opcode() {
    return "fft";
  }

  @Override
  public Arity arity() {
    return Arity.exactly(1);
  }

  @Override
  public Shape resultShape(Operands in) {
    Shape.Array operand = in.array(0, "operand");
    int count = fftLength.count();
    require(count >= 1 && count <= 3, "fft C3", "fft_length got %s, want 1 to 3", fftLength);
    require(
        fftLength.stream().allMatch(length -> length >= 0),
        "fft C4",
        "fft_length got %s, want each at least 0",
        fftLength);
    require(
        operand.rank() >= count,
        "fft C1",
        "fft_length got %s, want at most as many as the %s dimensions of %s",
        fftLength,
        operand.rank(),
        operand);
    ElementType type = resultType(operand.elementType());
    if (isComplexToComplex()) {
      return operand.withLayout(null);
    }
    for (int i = 0; i < count; i++) {
      requireSize(operand, i);
    }
    return withLastSize(operand.withElementType(type));
  }

  /**
   * Returns whether complex numbers become as many complex numbers.
   *
   * @return whether it is FFT or IFFT
   */
  public boolean isComplexToComplex() {
    return fftType == FftType.FFT || fftType == FftType.IFFT;
  }

  /**
   * Returns whether the lengths are those of an operand of these sizes. XLA's verifier asks for it
   * of RFFT and IRFFT only; what FFT and IFFT give of other lengths is defined nowhere.
   *
   * @param operand the sizes of the operand
   * @return whether an FFT or IFFT can be computed
   */
  public boolean hasLengthsOf(Dims operand) {
    int count = fftLength.count();
    return operand.subList(operand.count() - count, operand.count()).equals(fftLength);
  }

  private ElementType resultType(ElementType type) {
    boolean real = type == ElementType.F32 || type == ElementType.F64;
    require(
        fftType == FftType.RFFT ? real : type.isComplex(),
        "fft C2",
        "element type got %s, want %s for %s",
        type,
        fftType == FftType.RFFT ? "f32 or f64" : "complex",
        fftType);
    return switch (fftType) {
      case FFT, IFFT -> type;
      case RFFT -> type == ElementType.F32 ? ElementType.C64 : ElementType.C128;
      case IRFFT -> type.componentType();
    };
  }

  private void requireSize(Shape.Array operand, int i) {
    int dimension = operand.rank() - fftLength.count() + i;
    boolean halved = fftType == FftType.IRFFT && i == fftLength.count() - 1;
    long want = halved ? half(fftLength.get(i)) : fftLength.get(i);
    require(
        operand.isUnbounded(dimension)
            || (operand.size(dimension) == want && !operand.isDynamic(dimension)),
        halved ? "fft C5" : "fft C4",
        "size of dimension %s of %s got %s, want %s for fft_length %s of %s",
        dimension,
        operand,
        operand.sizeText(dimension),
        want,
        fftLength,
        fftType);
  }

  private Shape.Array withLastSize(Shape.Array operand) {
    int last = operand.rank() - 1;
    long length = fftLength.get(fftLength.count() - 1);
    Dims sizes = operand.sizes().with(last, fftType == FftType.RFFT ? half(length) : length);
    ImmutableSortedSet<Integer> dynamic =
        operand.dynamicDimensions().stream()
            .filter(dimension -> dimension != last)
            .collect(ImmutableSortedSet.toImmutableSortedSet(Comparator.naturalOrder()));
    return new Shape.Array(operand.elementType(), sizes, dynamic, Optional.empty());
  }

  /** Returns the number of frequencies of real numbers: n/2 + 1, or 0 if n is 0. */
  private static long half(long length) {
    return length == 0 ? 0 : length / 2 + 1;
  }
}
