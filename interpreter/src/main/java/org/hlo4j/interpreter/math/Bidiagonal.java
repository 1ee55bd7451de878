package org.hlo4j.interpreter.math;

/**
 * An upper bidiagonal matrix, which rotations from both sides make diagonal: the QR algorithm of
 * Demmel and Kahan, as in LAPACK's bdsqr. Small singular values keep their digits beside large
 * ones: a step without a shift computes each element without a subtraction, and a shift is used
 * only if it costs no digit of the smallest value. Steps run from the large end of a block to the
 * small one.
 */
public final class Bidiagonal {
  private static final double ROUNDING = 0x1p-53;

  /** The part of a singular value by which leaving out an element may change it. */
  private static final double TOLERANCE = 16 * ROUNDING;

  /** The maximum number of rotations from one side is this times the square of the size. */
  private static final int MAX_SWEEPS = 6;

  private final double[] diagonal;
  private final double[] superdiagonal;
  private final PlaneRotation.Receiver left;
  private final PlaneRotation.Receiver right;
  private final Runnable check;
  private final double negligible;
  private final PlaneRotation first = new PlaneRotation();
  private final PlaneRotation second = new PlaneRotation();

  /** The block in which the last step was. */
  private int top = 0;

  private int bottom = -1;
  private boolean isDownward;

  /**
   * Creates the iteration, which overwrites both arrays.
   *
   * @param diagonal the diagonal; in the end the singular values in no order, some of them negative
   * @param superdiagonal the elements above it; element k is in row k
   * @param left receives the rotations of columns of the left factor
   * @param right receives those of the right factor
   * @param check is called before each step
   */
  public Bidiagonal(
      double[] diagonal,
      double[] superdiagonal,
      PlaneRotation.Receiver left,
      PlaneRotation.Receiver right,
      Runnable check) {
    this.diagonal = diagonal;
    this.superdiagonal = superdiagonal;
    this.left = left;
    this.right = right;
    this.check = check;
    this.negligible = MAX_SWEEPS * square(diagonal.length) * Double.MIN_NORMAL;
  }

  private static double square(double x) {
    return x * x;
  }

  /**
   * Makes the matrix diagonal.
   *
   * @return 0, or the number of elements above the diagonal that did not converge
   */
  public int diagonalize() {
    double rotations = MAX_SWEEPS * square(diagonal.length);
    int last = diagonal.length - 1;
    while (last > 0) {
      int start = last;
      while (start > 0 && !isNegligible(start - 1)) {
        start--;
      }
      if (start == last) {
        last--;
      } else if (!tryDeflate(start, last)) {
        check.run();
        step(shift());
        rotations -= last - start;
      }
      if (rotations < 0) {
        return remaining();
      }
    }
    return 0;
  }

  private boolean isNegligible(int k) {
    return Math.abs(superdiagonal[k]) <= negligible;
  }

  private int remaining() {
    int count = 0;
    for (int k = 0; k + 1 < diagonal.length; k++) {
      count += isNegligible(k) ? 0 : 1;
    }
    return count;
  }

  private int from() {
    return isDownward ? top : bottom;
  }

  private int to() {
    return isDownward ? bottom : top;
  }

  private int stride() {
    return isDownward ? 1 : -1;
  }

  /** Returns the index of the element beside the diagonal between k and the next k of a step. */
  private int after(int k) {
    return isDownward ? k : k - 1;
  }

  /**
   * Clears an element beside the diagonal of a block that changes no singular value by more than
   * the tolerance. If there is none, returns false.
   */
  private boolean tryDeflate(int start, int last) {
    if (start > bottom || last < top) {
      isDownward = Math.abs(diagonal[start]) >= Math.abs(diagonal[last]);
    }
    top = start;
    bottom = last;
    int end = after(to() - stride());
    if (Math.abs(superdiagonal[end]) <= TOLERANCE * Math.abs(diagonal[to()])) {
      superdiagonal[end] = 0;
      return true;
    }
    double bound = Math.abs(diagonal[from()]);
    for (int k = from(); k != to(); k += stride()) {
      if (Math.abs(superdiagonal[after(k)]) <= TOLERANCE * bound) {
        superdiagonal[after(k)] = 0;
        return true;
      }
      bound = nextBound(bound, k);
    }
    return false;
  }

  /**
   * Returns, from a lower bound of the singular values of the rows of a block before the one after
   * k, that of the rows up to it.
   */
  private double nextBound(double bound, int k) {
    double beside = Math.abs(superdiagonal[after(k)]);
    return Math.abs(diagonal[k + stride()]) * (bound / (bound + beside));
  }

  /**
   * Returns the smaller singular value of the last two rows of a step, or 0 if the least singular
   * value would lose digits by it.
   */
  private double shift() {
    double bound = Math.abs(diagonal[from()]);
    double least = bound;
    double greatest = bound;
    for (int k = from(); k != to(); k += stride()) {
      double beside = Math.abs(superdiagonal[after(k)]);
      greatest = Math.max(greatest, Math.max(beside, Math.abs(diagonal[k + stride()])));
      bound = nextBound(bound, k);
      least = Math.min(least, bound);
    }
    int before = to() - stride();
    double shift = lesser(diagonal[before], superdiagonal[after(before)], diagonal[to()]);
    boolean losesDigits =
        diagonal.length * TOLERANCE * (least / greatest) <= ROUNDING
            || square(shift / diagonal[from()]) < ROUNDING;
    return losesDigits ? 0 : shift;
  }

  /** Returns the lesser singular value of the matrix (a b) (0 c). */
  private static double lesser(double a, double b, double c) {
    double less = Math.min(Math.abs(a), Math.abs(c));
    double more = Math.max(Math.abs(a), Math.abs(c));
    double greater = (Math.hypot(more + less, b) + Math.hypot(more - less, b)) / 2;
    return less * (more / greater);
  }

  private void step(double shift) {
    if (shift == 0) {
      stepWithoutShift();
    } else {
      step(
          (Math.abs(diagonal[from()]) - shift)
              * (Math.copySign(1, diagonal[from()]) + shift / diagonal[from()]),
          superdiagonal[after(from())]);
    }
  }

  private PlaneRotation.Receiver firstSide() {
    return isDownward ? right : left;
  }

  private PlaneRotation.Receiver secondSide() {
    return isDownward ? left : right;
  }

  private void stepWithoutShift() {
    int stride = stride();
    double cosine = 1;
    second.align(1, 0);
    for (int k = from(); k != to(); k += stride) {
      first.align(diagonal[k] * cosine, superdiagonal[after(k)]);
      cosine = first.cosine();
      if (k != from()) {
        superdiagonal[after(k - stride)] = second.sine() * first.length();
      }
      second.align(second.cosine() * first.length(), diagonal[k + stride] * first.sine());
      diagonal[k] = second.length();
      add(k);
    }
    double end = diagonal[to()] * cosine;
    diagonal[to()] = end * second.cosine();
    superdiagonal[after(to() - stride)] = end * second.sine();
  }

  private void add(int k) {
    firstSide().add(k, k + stride(), first.cosine(), first.sine());
    secondSide().add(k, k + stride(), second.cosine(), second.sine());
  }

  /**
   * Runs a step whose first rotation is that of (f, g). It makes an element outside of the two
   * diagonals nonzero (the bulge), and the other rotations move that through the block.
   */
  private void step(double f, double g) {
    int stride = stride();
    double x = f;
    double y = g;
    for (int k = from(); k != to(); k += stride) {
      int next = k + stride;
      first.align(x, y);
      if (k != from()) {
        superdiagonal[after(k - stride)] = first.length();
      }
      double beside = superdiagonal[after(k)];
      double above = first.cosine() * beside - first.sine() * diagonal[k];
      second.align(
          first.cosine() * diagonal[k] + first.sine() * beside, first.sine() * diagonal[next]);
      double below = first.cosine() * diagonal[next];
      diagonal[k] = second.length();
      diagonal[next] = second.cosine() * below - second.sine() * above;
      x = second.cosine() * above + second.sine() * below;
      if (next != to()) {
        y = second.sine() * superdiagonal[after(next)];
        superdiagonal[after(next)] *= second.cosine();
      }
      add(k);
    }
    superdiagonal[after(to() - stride)] = x;
  }
}
