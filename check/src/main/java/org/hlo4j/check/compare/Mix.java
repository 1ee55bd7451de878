package org.hlo4j.check.compare;

import java.util.function.IntFunction;

/**
 * A unitary matrix by which the vectors of one value are multiplied, of which each is a row here
 * and becomes a column; for a single vector a sign or phase.
 */
final class Mix {
  private final double[][] re;
  private final double[][] im;

  /** Creates a matrix of zeros. */
  Mix(int size) {
    this.re = new double[size][size];
    this.im = new double[size][size];
  }

  static Mix diagonal(int size, IntFunction<double[]> factors) {
    Mix mix = new Mix(size);
    for (int i = 0; i < size; i++) {
      mix.add(i, i, factors.apply(i)[0], factors.apply(i)[1]);
    }
    return mix;
  }

  /** Returns the matrix that moves each vector to the place of one before it, cyclically. */
  static Mix moved(int size, int by) {
    Mix mix = new Mix(size);
    for (int to = 0; to < size; to++) {
      mix.add((to + by) % size, to, 1, 0);
    }
    return mix;
  }

  /** Returns the matrix that rotates each vector but the last towards the next. */
  static Mix rotation(int size, double angle) {
    Mix all = diagonal(size, vector -> new double[] {1, 0});
    for (int i = 0; i + 1 < size; i++) {
      int at = i;
      Mix one = diagonal(size, k -> new double[] {k == at || k == at + 1 ? Math.cos(angle) : 1, 0});
      one.add(i + 1, i, Math.sin(angle), 0);
      one.add(i, i + 1, -Math.sin(angle), 0);
      all = all.times(one);
    }
    return all;
  }

  int size() {
    return re.length;
  }

  void add(int from, int to, double addedRe, double addedIm) {
    re[from][to] += addedRe;
    im[from][to] += addedIm;
  }

  Mix times(Mix other) {
    Mix product = new Mix(size());
    for (int from = 0; from < size(); from++) {
      for (int to = 0; to < size(); to++) {
        double[] mixed = other.mixed(re[from], im[from], to, 1);
        product.add(from, to, mixed[0], mixed[1]);
      }
    }
    return product;
  }

  /**
   * Returns a component of a vector after the multiplication.
   *
   * @param fromRe the real parts of the component in all vectors
   * @param fromIm the imaginary parts
   * @param to the number of the vector
   * @param sign -1 to multiply by the conjugate
   */
  double[] mixed(double[] fromRe, double[] fromIm, int to, int sign) {
    double[] sum = {-0.0, -0.0};
    for (int from = 0; from < size(); from++) {
      double byRe = re[from][to];
      double byIm = sign * im[from][to];
      if (byIm != 0) {
        sum[0] += fromRe[from] * byRe - fromIm[from] * byIm;
        sum[1] += fromRe[from] * byIm + fromIm[from] * byRe;
      } else if (byRe != 0) { // keeps the signs of zeros
        sum[0] += fromRe[from] * byRe;
        sum[1] += fromIm[from] * byRe;
      }
    }
    return sum;
  }

  /**
   * Returns the matrix with its columns made orthonormal, one after the other (Gram and Schmidt,
   * twice); one that is zero, or not finite, becomes what is left of a unit vector.
   */
  Mix orthonormal() {
    Mix result = new Mix(size());
    for (int to = 0; to < size(); to++) {
      boolean isSet = result.set(to, this, to);
      for (int unit = 0; !isSet && unit < size(); unit++) {
        isSet = result.set(to, moved(size(), 0), (to + unit) % size());
      }
    }
    return result;
  }

  /** Sets a column to what is left of one of another matrix; not if that is nothing. */
  private boolean set(int to, Mix of, int column) {
    for (int i = 0; i < size(); i++) {
      re[i][to] = of.re[i][column];
      im[i][to] = of.im[i][column];
    }
    double before = normalize(to);
    double left = before;
    for (int pass = 0; pass < 2 && left > 0; pass++) {
      for (int other = 0; other < to; other++) {
        subtract(to, other);
      }
      left = normalize(to);
      before = pass == 0 ? left : before;
    }
    return before > 1e-3; // of a unit vector
  }

  /** Returns the norm of a column, by which it is divided. */
  private double normalize(int column) {
    double sum = 0;
    for (int i = 0; i < size(); i++) {
      sum = Math.hypot(sum, Math.hypot(re[i][column], im[i][column]));
    }
    for (int i = 0; i < size(); i++) {
      re[i][column] = sum > 0 && Double.isFinite(sum) ? re[i][column] / sum : 0;
      im[i][column] = sum > 0 && Double.isFinite(sum) ? im[i][column] / sum : 0;
    }
    return Double.isFinite(sum) ? sum : 0;
  }

  /** Subtracts from a column what it has of another. */
  private void subtract(int column, int other) {
    double partRe = 0;
    double partIm = 0;
    for (int i = 0; i < size(); i++) {
      partRe += re[i][other] * re[i][column] + im[i][other] * im[i][column];
      partIm += re[i][other] * im[i][column] - im[i][other] * re[i][column];
    }
    for (int i = 0; i < size(); i++) {
      re[i][column] -= partRe * re[i][other] - partIm * im[i][other];
      im[i][column] -= partRe * im[i][other] + partIm * re[i][other];
    }
  }
}
