package org.hlo4j.interpreter.math;

/**
 * A symmetric tridiagonal matrix, which rotations of neighboring rows and columns make diagonal:
 * the QL or QR algorithm with implicit shifts, as in LAPACK's steqr. Steps run from the large end
 * of a block to the small one. Elements beside the diagonal are left out if they are small beside
 * their neighbors on it. Where LAPACK gives up, those within the rounding of the matrix are left
 * out too: steps do not change a large element beside zeros that hardly touches the next rows.
 */
public final class SymmetricTridiagonal {
  private static final double ROUNDING = 0x1p-53;

  /** What always counts as zero: its square is not a normal number. */
  private static final double NEGLIGIBLE = 0x1p-511;

  /** The maximum number of steps is this times the size. */
  private static final int MAX_STEPS = 30;

  private final double[] diagonal;
  private final double[] offDiagonal;
  private final PlaneRotation.Receiver rotations;
  private final Runnable check;
  private final PlaneRotation rotation = new PlaneRotation();
  private double negligible = NEGLIGIBLE;
  private int steps;

  /**
   * Creates the iteration, which overwrites both arrays.
   *
   * @param diagonal the diagonal; in the end the eigenvalues in no order
   * @param offDiagonal the elements beside it; element k is in row k
   * @param rotations receives the rotations of columns of the eigenvectors
   * @param check is called before each step
   */
  public SymmetricTridiagonal(
      double[] diagonal, double[] offDiagonal, PlaneRotation.Receiver rotations, Runnable check) {
    this.diagonal = diagonal;
    this.offDiagonal = offDiagonal;
    this.rotations = rotations;
    this.check = check;
  }

  /**
   * Makes the matrix diagonal.
   *
   * @return 0, or the number of elements beside the diagonal that did not converge
   */
  public int diagonalize() {
    if (isDiagonalized()) {
      return 0;
    }
    double greatest = 0;
    for (int k = 0; k < diagonal.length; k++) {
      greatest = Math.max(greatest, Math.max(Math.abs(diagonal[k]), Math.abs(offDiagonal[k])));
    }
    negligible = ROUNDING * greatest;
    return isDiagonalized() ? 0 : remaining();
  }

  /** Runs steps until the matrix is diagonal. Returns false if that takes too many. */
  private boolean isDiagonalized() {
    steps = MAX_STEPS * diagonal.length;
    int first = 0;
    while (first < diagonal.length) {
      int last = first;
      while (last + 1 < diagonal.length && !isNegligible(last)) {
        last++;
      }
      boolean isUpward = Math.abs(diagonal[first]) <= Math.abs(diagonal[last]);
      if (!(isUpward ? diagonalize(last, first, -1) : diagonalize(first, last, 1))) {
        return false;
      }
      first = last + 1;
    }
    return true;
  }

  private boolean isNegligible(int k) {
    double size = Math.sqrt(Math.abs(diagonal[k])) * Math.sqrt(Math.abs(diagonal[k + 1]));
    return Math.abs(offDiagonal[k]) <= ROUNDING * size + negligible;
  }

  private int remaining() {
    int count = 0;
    for (int k = 0; k + 1 < diagonal.length; k++) {
      count += isNegligible(k) ? 0 : 1;
    }
    return count;
  }

  /**
   * Makes a block diagonal by steps from one end to the other, where the eigenvalues come out one
   * after another. Returns false if it takes too many steps.
   */
  private boolean diagonalize(int from, int to, int stride) {
    int end = to;
    while (end != from) {
      int start = end;
      while (start != from && !isNegligible(Math.min(start, start - stride))) {
        start -= stride;
      }
      if (start == end) {
        end -= stride;
      } else if (steps-- > 0) {
        check.run();
        step(start, end, stride);
      } else {
        return false;
      }
    }
    return true;
  }

  /** Returns Wilkinson's shift: the eigenvalue of the last two rows that is nearer to the last. */
  private double shift(int end, int stride) {
    double half = (diagonal[end - stride] - diagonal[end]) / 2;
    double off = offDiagonal[Math.min(end, end - stride)];
    double root = Math.hypot(half, off);
    return diagonal[end] - off * (off / (half + Math.copySign(root, half)));
  }

  private void step(int start, int end, int stride) {
    double g = diagonal[start] - shift(end, stride);
    double cosine = 1;
    double sine = 1;
    double moved = 0;
    for (int k = start; k != end; k += stride) {
      int next = k + stride;
      double off = offDiagonal[Math.min(k, next)];
      double b = cosine * off;
      rotation.align(g, sine * off);
      cosine = rotation.cosine();
      sine = rotation.sine();
      if (k != start) {
        offDiagonal[Math.min(k, k - stride)] = rotation.length();
      }
      double kept = diagonal[k] - moved;
      double change = (diagonal[next] - kept) * sine + 2 * cosine * b;
      moved = sine * change;
      diagonal[k] = kept + moved;
      g = cosine * change - b;
      rotations.add(k, next, cosine, sine);
    }
    diagonal[end] -= moved;
    offDiagonal[Math.min(end, end - stride)] = g;
  }
}
