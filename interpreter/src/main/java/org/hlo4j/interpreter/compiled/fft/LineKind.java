package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.hlo.op.Fft;

/** What the lines of the last dimension are. */
enum LineKind {
  /** Complex ones, which stay so. */
  COMPLEX,
  /** Real ones, of whose transform the first half is wanted. */
  FROM_REAL,
  /** Such halves, of which real ones are wanted. */
  TO_REAL;

  static LineKind of(Fft.FftType type) {
    return switch (type) {
      case FFT, IFFT -> COMPLEX;
      case RFFT -> FROM_REAL;
      case IRFFT -> TO_REAL;
    };
  }

  /** Whether pairs of real numbers are taken for complex ones. */
  boolean isHalved(int length) {
    return this != COMPLEX && length % 2 == 0;
  }
}
