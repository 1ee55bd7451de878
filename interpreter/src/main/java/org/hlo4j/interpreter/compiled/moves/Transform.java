package org.hlo4j.interpreter.compiled.moves;

import java.util.Arrays;

/**
 * The Fourier transform of lines of one length, real and imaginary parts apart, with the
 * reference's arithmetic: by halves if the length is a power of two, else by Bluestein's
 * convolution with a chirp.
 *
 * <pre>
 *   j k = (j^2 + k^2 - (k - j)^2) / 2, so with w[j] = e^(-pi i j^2 / n)
 *   result[k] = w[k] * sum over j of (line[j] * w[j]) * conjugate(w[k - j])
 * </pre>
 */
final class Transform {
  private static final int MOST_CONVOLVED = 1 << 29;

  final int length;
  final boolean inverse;
  final int powerOfTwo;

  /** For each stage the roots it takes in turn, those of a stage of half h from h on. */
  final double[] rootRe;

  final double[] rootIm;
  final double[] chirpRe;
  final double[] chirpIm;

  /** The same, each where its number is put. */
  final double[] placedChirpRe;

  final double[] placedChirpIm;
  final double[] transformedRe;
  final double[] transformedIm;

  Transform(int length, boolean inverse) {
    boolean direct = isDirect(length);
    this.length = length;
    this.inverse = inverse;
    this.powerOfTwo = direct ? length : Integer.highestOneBit(2 * length - 1) * 2;
    this.rootRe = new double[powerOfTwo];
    this.rootIm = new double[powerOfTwo];
    double[] root = new double[2];
    for (int half = 1; half < powerOfTwo; half *= 2) {
      for (int k = 0; k < half; k++) {
        root(k, 2L * half, root);
        rootRe[half + k] = root[0];
        rootIm[half + k] = root[1];
      }
    }
    this.chirpRe = new double[direct ? 0 : length];
    this.chirpIm = new double[direct ? 0 : length];
    this.placedChirpRe = new double[direct ? 0 : powerOfTwo];
    this.placedChirpIm = new double[direct ? 0 : powerOfTwo];
    this.transformedRe = new double[direct ? 0 : powerOfTwo];
    this.transformedIm = new double[direct ? 0 : powerOfTwo];
    if (!direct) {
      makeChirp();
    }
  }

  private static boolean isDirect(int length) {
    return Integer.bitCount(length) == 1;
  }

  /** Whether there is room for the transform of a length. */
  static boolean takes(long length) {
    return length < MOST_CONVOLVED;
  }

  /** e^(-2 pi i k / n), the angle taken from the nearest axis, so that axes are exact. */
  private static void root(long k, long n, double[] to) {
    long quarter = (4 * k + n / 2) / n;
    double angle = 2 * Math.PI * ((double) (4 * k - quarter * n) / (4.0 * n));
    double cos = StrictMath.cos(angle);
    double sin = StrictMath.sin(angle);
    boolean odd = quarter % 2 == 1;
    boolean behind = quarter % 4 >= 2;
    double re = odd ? -sin : cos;
    double im = odd ? -cos : -sin;
    to[0] = behind ? -re : re;
    to[1] = behind ? -im : im;
  }

  private void makeChirp() {
    double[] root = new double[2];
    for (int k = 0; k < length; k++) {
      root((long) k * k % (2L * length), 2L * length, root);
      chirpRe[k] = root[0];
      chirpIm[k] = root[1];
      int place = Integer.reverse(k) >>> (Integer.numberOfLeadingZeros(powerOfTwo) + 1);
      placedChirpRe[place] = root[0];
      placedChirpIm[place] = root[1];
      transformedRe[k] = root[0];
      transformedIm[k] = -root[1];
      transformedRe[(powerOfTwo - k) % powerOfTwo] = root[0];
      transformedIm[(powerOfTwo - k) % powerOfTwo] = -root[1];
    }
    halve(transformedRe, transformedIm);
  }

  /** How long arrays have to be that are convolved; 0 if none are. */
  int convolvedLength() {
    return powerOfTwo == length ? 0 : powerOfTwo;
  }

  /**
   * In place. The inverse is the transform of conjugates, conjugated, divided by the length.
   *
   * @param re the real parts
   * @param im the imaginary parts
   * @param paddedRe room for as many as are convolved
   * @param paddedIm and for their imaginary parts
   */
  void apply(double[] re, double[] im, double[] paddedRe, double[] paddedIm) {
    if (inverse) {
      conjugate(re, im, 1);
    }
    if (powerOfTwo == length) {
      halve(re, im);
    } else {
      convolve(re, im, paddedRe, paddedIm);
    }
    if (inverse) {
      conjugate(re, im, length);
    }
  }

  private void conjugate(double[] re, double[] im, double divisor) {
    for (int k = 0; k < length; k++) {
      re[k] /= divisor;
      im[k] = -im[k] / divisor;
    }
  }

  private void convolve(double[] re, double[] im, double[] a, double[] b) {
    for (int k = 0; k < length; k++) {
      a[k] = re[k] * chirpRe[k] - im[k] * chirpIm[k];
      b[k] = re[k] * chirpIm[k] + im[k] * chirpRe[k];
    }
    Arrays.fill(a, length, powerOfTwo, 0);
    Arrays.fill(b, length, powerOfTwo, 0);
    halve(a, b);
    for (int k = 0; k < powerOfTwo; k++) {
      double product = a[k] * transformedRe[k] - b[k] * transformedIm[k];
      b[k] = -(a[k] * transformedIm[k] + b[k] * transformedRe[k]);
      a[k] = product;
    }
    halve(a, b);
    for (int k = 0; k < length; k++) {
      double sumRe = a[k] / powerOfTwo;
      double sumIm = -b[k] / powerOfTwo;
      re[k] = sumRe * chirpRe[k] - sumIm * chirpIm[k];
      im[k] = sumRe * chirpIm[k] + sumIm * chirpRe[k];
    }
  }

  /** Cooley and Tukey: sorts by reversed bits, then joins pairs of halves of growing length. */
  private void halve(double[] re, double[] im) {
    int unused = Integer.numberOfLeadingZeros(powerOfTwo) + 1;
    for (int k = 0; k < powerOfTwo; k++) {
      int reversed = unused == 32 ? 0 : Integer.reverse(k) >>> unused;
      if (reversed > k) {
        double movedRe = re[k];
        double movedIm = im[k];
        re[k] = re[reversed];
        im[k] = im[reversed];
        re[reversed] = movedRe;
        im[reversed] = movedIm;
      }
    }
    for (int half = 1; half < powerOfTwo; half *= 2) {
      for (int start = 0; start < powerOfTwo; start += 2 * half) {
        join(re, im, start, half);
      }
    }
  }

  private void join(double[] re, double[] im, int start, int half) {
    double[] rootsRe = rootRe;
    double[] rootsIm = rootIm;
    for (int k = 0; k < half; k++) {
      double upperRe = re[start + half + k];
      double upperIm = im[start + half + k];
      double oddRe = upperRe * rootsRe[half + k] - upperIm * rootsIm[half + k];
      double oddIm = upperRe * rootsIm[half + k] + upperIm * rootsRe[half + k];
      double evenRe = re[start + k];
      double evenIm = im[start + k];
      re[start + k] = evenRe + oddRe;
      im[start + k] = evenIm + oddIm;
      re[start + half + k] = evenRe - oddRe;
      im[start + half + k] = evenIm - oddIm;
    }
  }
}
