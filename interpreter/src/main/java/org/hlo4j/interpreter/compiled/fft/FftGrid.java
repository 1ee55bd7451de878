package org.hlo4j.interpreter.compiled.fft;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.copy.StridedCopy;

/**
 * A view of a matrix of complex numbers in an array, with separate real and imaginary parts.
 *
 * @param array the array
 * @param at the index of the real part of the first number
 * @param shift the distance from a real part to its imaginary part
 * @param stride the distance between the starts of two rows
 */
@SuppressWarnings("ArrayRecordComponent") // a view of an array, never compared
record FftGrid(double[] array, int at, int shift, int stride) {
  /**
   * Returns the view with real and imaginary parts exchanged, without copying. The inverse
   * transform is the transform of exchanged numbers, exchanged again.
   */
  FftGrid swapReIm() {
    return new FftGrid(array, at + shift, -shift, stride);
  }

  FftGrid swapReImIf(boolean condition) {
    return condition ? swapReIm() : this;
  }

  /** Returns the view that begins {@code numbers} numbers later. */
  FftGrid offset(int numbers) {
    return new FftGrid(array, at + numbers, shift, stride);
  }

  /** Returns the view of the same numbers in rows that are {@code numbers} numbers apart. */
  FftGrid withStride(int numbers) {
    return new FftGrid(array, at, shift, numbers);
  }

  /** Copies the first {@code columns} numbers of each row to another grid. */
  void copy(FftGrid to, int rows, int columns) {
    for (int row = 0; row < rows; row++) {
      int f = at + row * stride;
      int t = to.at + row * to.stride;
      System.arraycopy(array, f, to.array, t, columns);
      System.arraycopy(array, f + shift, to.array, t + to.shift, columns);
    }
  }

  /** Copies the transpose of {@code rows} rows and {@code columns} columns to another grid. */
  void transpose(FftGrid to, int rows, int columns) {
    StridedCopy.run(array, at, 1, stride, to.array, to.at, to.stride, 1, columns, rows);
    int toIm = to.at + to.shift;
    StridedCopy.run(array, at + shift, 1, stride, to.array, toIm, to.stride, 1, columns, rows);
  }

  /** Sets the numbers from {@code first} to {@code end - 1} to 0. */
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
