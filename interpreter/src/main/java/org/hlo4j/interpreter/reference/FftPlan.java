package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;
import org.hlo4j.interpreter.reference.linalg.ComplexArray;

/**
 * The Fourier transform of lines of one length: a radix-2 FFT if the length is a power of two, else
 * Bluestein's algorithm, a convolution with a chirp by FFTs whose length is a power of two.
 *
 * <pre>
 *   j k = (j^2 + k^2 - (k - j)^2) / 2, so with w[j] = e^(-pi i j^2 / n)
 *   result[k] = w[k] * sum over j of (line[j] * w[j]) * conjugate(w[k - j])
 * </pre>
 */
final class FftPlan {
  private static final int MAX_CONVOLVED = 1 << 29;

  private final int length;
  private final boolean inverse;
  private final int fftLength;
  private final ComplexArray roots;
  private final ComplexArray chirp;
  private final ComplexArray chirpTransformed;
  private final ComplexArray padded;

  FftPlan(int length, boolean inverse) {
    this.length = length;
    this.inverse = inverse;
    boolean direct = Integer.bitCount(length) == 1;
    require(
        direct || length < MAX_CONVOLVED,
        "",
        "fft: length got %s, want at most %s where it is no power of two",
        length,
        MAX_CONVOLVED);
    this.fftLength = direct ? length : Integer.highestOneBit(2 * length - 1) * 2;
    this.roots = new ComplexArray(fftLength);
    for (int k = 0; k < fftLength; k++) {
      Limits.checkAt(k);
      roots.set(k, root(k, fftLength));
    }
    this.chirp = new ComplexArray(direct ? 0 : length);
    this.chirpTransformed = new ComplexArray(direct ? 0 : fftLength);
    this.padded = new ComplexArray(direct ? 0 : fftLength);
    if (!direct) {
      makeChirp();
    }
  }

  /**
   * Returns e^(-2 pi i k / n). The angle is measured from the nearest axis, so that the roots on
   * the axes are exact.
   */
  private static Complex root(long k, long n) {
    long quarter = (4 * k + n / 2) / n;
    double angle = 2 * Math.PI * ((double) (4 * k - quarter * n) / (4.0 * n));
    double cos = StrictMath.cos(angle);
    double sin = StrictMath.sin(angle);
    return switch ((int) (quarter % 4)) {
      case 0 -> new Complex(cos, -sin);
      case 1 -> new Complex(-sin, -cos);
      case 2 -> new Complex(-cos, sin);
      default -> new Complex(sin, cos);
    };
  }

  private void makeChirp() {
    for (int k = 0; k < length; k++) {
      Complex w = root((long) k * k % (2L * length), 2L * length);
      chirp.set(k, w);
      chirpTransformed.set(k, w.conjugate());
      chirpTransformed.set((fftLength - k) % fftLength, w.conjugate());
    }
    radix2Fft(chirpTransformed);
  }

  /**
   * Transforms a line in place. The inverse is the transform of conjugates, conjugated, divided by
   * the length.
   */
  void apply(ComplexArray line) {
    if (inverse) {
      conjugate(line, length, 1);
    }
    if (fftLength == length) {
      radix2Fft(line);
    } else {
      bluestein(line);
    }
    if (inverse) {
      conjugate(line, length, length);
    }
  }

  private static void conjugate(ComplexArray line, int count, double divisor) {
    for (int k = 0; k < count; k++) {
      line.set(k, line.re(k) / divisor, -line.im(k) / divisor);
    }
  }

  private void bluestein(ComplexArray line) {
    for (int k = 0; k < fftLength; k++) {
      Limits.checkAt(k);
      padded.set(k, k < length ? line.get(k).times(chirp.get(k)) : Complex.ZERO);
    }
    radix2Fft(padded);
    for (int k = 0; k < fftLength; k++) {
      Limits.checkAt(k);
      padded.set(k, padded.get(k).times(chirpTransformed.get(k)).conjugate());
    }
    radix2Fft(padded);
    for (int k = 0; k < length; k++) {
      Complex sum = new Complex(padded.re(k) / fftLength, -padded.im(k) / fftLength);
      line.set(k, sum.times(chirp.get(k)));
    }
  }

  /**
   * The Cooley-Tukey algorithm: permutes by reversed bits, then combines pairs of halves of growing
   * length.
   */
  private void radix2Fft(ComplexArray line) {
    int unused = Integer.numberOfLeadingZeros(fftLength) + 1;
    for (int k = 0; k < fftLength; k++) {
      Limits.checkAt(k);
      int reversed = unused == 32 ? 0 : Integer.reverse(k) >>> unused;
      if (reversed > k) {
        Complex moved = line.get(k);
        line.set(k, line.get(reversed));
        line.set(reversed, moved);
      }
    }
    for (int half = 1; half < fftLength; half *= 2) {
      int step = fftLength / (2 * half);
      for (int start = 0; start < fftLength; start += 2 * half) {
        Limits.checkAt(start);
        for (int k = start; k < start + half; k++) {
          Complex odd = line.get(k + half).times(roots.get((k - start) * step));
          Complex even = line.get(k);
          line.set(k, even.plus(odd));
          line.set(k + half, even.minus(odd));
        }
      }
    }
  }
}
