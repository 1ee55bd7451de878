package org.hlo4j.interpreter.compiled.fft;

import java.util.Arrays;

/**
 * Complex numbers in rows, real and imaginary parts apart, in one array.
 *
 * @param array the array
 * @param at where the real part of the first number lies
 * @param shift how far behind a real part its imaginary part lies
 * @param stride how far behind a row the next one begins
 */
@SuppressWarnings("ArrayRecordComponent") // a place in an array, never compared
record FftGrid(double[] array, int at, int shift, int stride) {
  /**
   * The parts exchanged, without moving anything. The inverse transform is the transform of numbers
   * so exchanged, exchanged again.
   */
  FftGrid exchanged() {
    return new FftGrid(array, at + shift, -shift, stride);
  }

  FftGrid exchangedIf(boolean condition) {
    return condition ? exchanged() : this;
  }

  /** What begins so many numbers further. */
  FftGrid behind(int numbers) {
    return new FftGrid(array, at + numbers, shift, stride);
  }

  /** The same numbers, taken for rows that lie so far apart. */
  FftGrid withStride(int numbers) {
    return new FftGrid(array, at, shift, numbers);
  }

  /** Copies rows. */
  void copy(FftGrid to, int rows, int columns) {
    for (int row = 0; row < rows; row++) {
      int f = at + row * stride;
      int t = to.at + row * to.stride;
      System.arraycopy(array, f, to.array, t, columns);
      System.arraycopy(array, f + shift, to.array, t + to.shift, columns);
    }
  }

  /** Makes some numbers 0. */
  void clear(int first, int end) {
    Arrays.fill(array, at + first, at + end, 0);
    Arrays.fill(array, at + shift + first, at + shift + end, 0);
  }

  double re(int number) {
    return array[at + number];
  }

  double im(int number) {
    return array[at + shift + number];
  }

  void set(int number, double re, double im) {
    array[at + number] = re;
    array[at + shift + number] = im;
  }
}
