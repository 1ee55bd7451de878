package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The constants of Bluestein's algorithm, which computes a transform of any length as a
 * convolution, by transforms of another length.
 *
 * <pre>
 *   j k = (j^2 + k^2 - (k - j)^2) / 2, so with w[j] = e^(-pi i j^2 / n)
 *   result[k] = w[k] * sum over j of (line[j] * w[j]) * conjugate(w[k - j])
 * </pre>
 *
 * @param length the length of a line
 * @param factors the factors w
 * @param filterSpectrum the transform of the conjugates of w, mirrored and padded with zeros,
 *     divided by the padded length
 */
record Chirp(int length, FftGrid factors, FftGrid filterSpectrum) {
  Chirp(int length, LineTransform convolution) {
    this(length, factors(length), convolution);
  }

  private Chirp(int length, FftGrid factors, LineTransform convolution) {
    this(length, factors, filterSpectrum(length, factors, convolution));
  }

  private static FftGrid factors(int length) {
    FftGrid factors = AlignedSlab.table(length, length);
    for (int k = 0; k < length; k++) {
      Limits.checkAt(k);
      double[] root = Roots.root((long) k * k % (2L * length), 2L * length);
      factors.set(k, root[0], root[1]);
    }
    return factors;
  }

  private static FftGrid filterSpectrum(int length, FftGrid factors, LineTransform convolution) {
    int padded = convolution.length();
    FftGrid conjugates = AlignedSlab.table(padded, padded);
    for (int k = 0; k < length; k++) {
      Limits.checkAt(k);
      conjugates.set(k, factors.re(k), -factors.im(k));
      conjugates.set((padded - k) % padded, factors.re(k), -factors.im(k));
    }
    FftGrid result = AlignedSlab.table(padded, padded);
    FftWorkspace workspace = FftWorkspace.borrow();
    convolution.apply(conjugates, result, 1, workspace);
    workspace.release();
    for (int k = 0; k < padded; k++) {
      Limits.checkAt(k);
      result.set(k, result.re(k) / padded, result.im(k) / padded);
    }
    return result;
  }
}
