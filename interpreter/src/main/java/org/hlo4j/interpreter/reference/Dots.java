package org.hlo4j.interpreter.reference;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/** The dot op: sums of products. Floats accumulate in double and round once; integers wrap. */
public final class Dots {
  private Dots() {}

  /** {@code result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, j, k]}, in order of k. */
  static Literal dot(Dot op, List<Literal> in, Shape.Array shape, Execution execution) {
    Literal lhs = in.get(0);
    Literal rhs = in.get(1);
    Dims left = lhs.arrayShape().sizes();
    Dims right = rhs.arrayShape().sizes();
    int[] lhsBatch = Offsets.ofDimensions(op.lhsBatchDims(), left);
    int[] rhsBatch = Offsets.ofDimensions(op.rhsBatchDims(), right);
    int[] lhsContracting = Offsets.ofDimensions(op.lhsContractingDims(), left);
    int[] rhsContracting = Offsets.ofDimensions(op.rhsContractingDims(), right);
    int[] lhsFree = Offsets.ofDimensions(op.lhsFreeDims(left.count()), left);
    int[] rhsFree = Offsets.ofDimensions(op.rhsFreeDims(right.count()), right);
    LiteralBuilder result = new LiteralBuilder(shape);
    Sum sum = new Sum(lhs, rhs, shape.elementType());
    int next = 0;
    for (int b = 0; b < lhsBatch.length; b++) {
      for (int i : lhsFree) {
        execution.checkLimits();
        sum.storeRow(
            result, next, lhsBatch[b] + i, lhsContracting, rhsBatch[b], rhsFree, rhsContracting);
        next += rhsFree.length;
      }
    }
    return result.build();
  }

  /** The sums of products of two operands. The operands are converted once, to longs or doubles. */
  public static final class Sum {
    private static final int TOGETHER = 256;

    private final ElementType type;
    private final long[] lhsLongs;
    private final long[] rhsLongs;
    private final double[] lhsDoubles;
    private final double[] rhsDoubles;

    /**
     * Creates the sums of two operands.
     *
     * @param lhs integers or booleans, floats, or complex numbers, according to the type
     * @param rhs the same
     * @param type the element type of the sums
     */
    public Sum(Literal lhs, Literal rhs, ElementType type) {
      boolean isIntegral = !type.isFloating() && !type.isComplex();
      this.type = type;
      this.lhsLongs = isIntegral ? longs(lhs) : new long[0];
      this.rhsLongs = isIntegral ? longs(rhs) : new long[0];
      this.lhsDoubles = isIntegral ? new double[0] : doubles(lhs);
      this.rhsDoubles = isIntegral ? new double[0] : doubles(rhs);
    }

    private static long[] longs(Literal operand) {
      if (operand.unsafeStorage() instanceof long[] longs) {
        return longs;
      }
      long[] longs = new long[operand.elementCount()];
      for (int i = 0; i < longs.length; i++) {
        Limits.checkAt(i);
        longs[i] = operand.longAt(i);
      }
      return longs;
    }

    /** Returns the elements as doubles; for complex numbers, real and imaginary parts alternate. */
    private static double[] doubles(Literal operand) {
      if (operand.unsafeStorage() instanceof double[] doubles) {
        return doubles;
      }
      boolean isComplex = operand.elementType().isComplex();
      double[] doubles = new double[(isComplex ? 2 : 1) * operand.elementCount()];
      for (int i = 0; i < operand.elementCount(); i++) {
        Limits.checkAt(i);
        if (isComplex) {
          doubles[2 * i] = operand.realAt(i);
          doubles[2 * i + 1] = operand.imaginaryAt(i);
        } else {
          doubles[i] = operand.doubleAt(i);
        }
      }
      return doubles;
    }

    /**
     * Computes one element of the result. Summand k is the product of the elements at {@code left +
     * leftK[k]} and {@code right + rightK[k]}.
     */
    public void store(
        LiteralBuilder result, int at, int left, int[] leftK, int right, int[] rightK) {
      switch (type.kind()) {
        case PRED -> result.setBoolean(at, integer(left, leftK, right, rightK) != 0);
        case SIGNED, UNSIGNED -> result.setLong(at, integer(left, leftK, right, rightK));
        case FLOAT -> result.setDouble(at, floating(left, leftK, right, rightK));
        case COMPLEX -> {
          Complex sum = complex(left, leftK, right, rightK);
          result.setComplex(at, sum.re(), sum.im());
        }
      }
    }

    /**
     * Computes the elements of the result that have the same left operand. Floats whose right
     * operands are next to each other are summed at once, which is faster: each in order of k.
     */
    private void storeRow(
        LiteralBuilder result,
        int at,
        int left,
        int[] leftK,
        int right,
        int[] rightFree,
        int[] rightK) {
      int count = rightFree.length;
      if (count < 2 || rightFree[count - 1] != count - 1 || !type.isFloating()) {
        for (int j = 0; j < count; j++) {
          store(result, at + j, left, leftK, right + rightFree[j], rightK);
        }
        return;
      }
      for (int j = 0; j < count; j += TOGETHER) {
        double[] sums = new double[Math.min(TOGETHER, count - j)];
        for (int k = 0; k < leftK.length; k++) {
          Limits.checkAt(k);
          addMultiple(sums, lhsDoubles[left + leftK[k]], right + j + rightK[k]);
        }
        for (int n = 0; n < sums.length; n++) {
          result.setDouble(at + j + n, sums[n]);
        }
      }
    }

    private void addMultiple(double[] sums, double factor, int right) {
      for (int n = 0; n < sums.length; n++) {
        sums[n] += factor * rhsDoubles[right + n];
      }
    }

    private long integer(int left, int[] leftK, int right, int[] rightK) {
      long sum = 0;
      for (int k = 0; k < leftK.length; k++) {
        Limits.checkAt(k);
        sum += lhsLongs[left + leftK[k]] * rhsLongs[right + rightK[k]];
      }
      return sum;
    }

    private double floating(int left, int[] leftK, int right, int[] rightK) {
      double sum = 0;
      for (int k = 0; k < leftK.length; k++) {
        Limits.checkAt(k);
        sum += lhsDoubles[left + leftK[k]] * rhsDoubles[right + rightK[k]];
      }
      return sum;
    }

    private Complex complex(int left, int[] leftK, int right, int[] rightK) {
      Complex sum = new Complex(0, 0);
      for (int k = 0; k < leftK.length; k++) {
        Limits.checkAt(k);
        Complex factor = complexAt(lhsDoubles, left + leftK[k]);
        sum = sum.plus(factor.times(complexAt(rhsDoubles, right + rightK[k])));
      }
      return sum;
    }

    private static Complex complexAt(double[] parts, int element) {
      return new Complex(parts[2 * element], parts[2 * element + 1]);
    }
  }
}
