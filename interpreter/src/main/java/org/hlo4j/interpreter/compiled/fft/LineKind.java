package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.hlo.op.Fft;

/** The kinds of lines of the last dimension. */
enum LineKind {
  /** Complex lines with complex transforms. */
  COMPLEX,
  /** Real lines, of whose transforms the first half is computed. */
  FROM_REAL,
  /** The first halves of transforms of real lines, from which the real lines are computed. */
  TO_REAL;

  static LineKind of(Fft.FftType type) {
    return switch (type) {
      case FFT, IFFT -> COMPLEX;
      case RFFT -> FROM_REAL;
      case IRFFT -> TO_REAL;
    };
  }

  /** Returns whether pairs of real numbers are transformed as complex numbers. */
  boolean isHalved(int length) {
    return this != COMPLEX && length % 2 == 0;
  }
}
