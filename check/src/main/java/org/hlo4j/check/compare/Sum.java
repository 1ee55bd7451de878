package org.hlo4j.check.compare;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntToDoubleFunction;
import org.hlo4j.check.compare.ToleranceProfile.DotPrecision;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.CostAnalysis;

/**
 * Sums: each addition and product rounds once, in any order (running error analysis). Where partial
 * sums overflow, anything; where all terms are 0, either zero.
 *
 * @param sum the instruction
 * @param accumulator what the terms are added in
 * @param precision how operands are rounded
 * @param isNative whether 16-bit partial sums may be rounded to the type of the result, in trees of
 *     32 as XLA's tree_reduction_rewriter.cc makes them
 * @param isInside whether it is in the middle of a program, so that n roundings count as 8 sqrt(n):
 *     their signs differ (Higham and Mary 2019)
 */
record Sum(
    HloInstruction sum,
    Allowance.Accumulator accumulator,
    DotPrecision precision,
    boolean isNative,
    boolean isInside)
    implements Function<Bounds, IntToDoubleFunction> {
  /** How many roundings of the root of partial sums squared; XLA:CPU was seen to need 2.3. */
  private static final double DEVIATIONS = 2.5;

  private static final double BRANCHES = 32;

  Allowance allowance() {
    long terms = terms();
    String count = terms > 1 ? terms + " " : "";
    boolean inTrees = isInTrees(type(sum.operands().get(0)));
    String other = inTrees ? ", or in trees of their own type" : "";
    String given = operandError() > 0 ? ", operands in " + precision : "";
    String words = count + "terms added in " + accumulator.type() + " in any order" + other + given;
    return Allowance.ofErrors(words, accumulator, this);
  }

  private static ElementType type(HloInstruction array) {
    return array.arrayShape().elementType().componentType();
  }

  /** Returns by how much each term may be off because of the precision, relative. */
  private double operandError() {
    ElementType type = type(sum.operands().get(0));
    return type.isFloating() && sum.op() instanceof Contraction ? precision.error(type) : 0;
  }

  private boolean isInTrees(ElementType type) {
    boolean reduces = sum.op() instanceof Reduce || sum.op() instanceof ReduceWindow;
    return isNative && reduces && type.bits() == 16;
  }

  /** Returns how many terms meet in each element; 0 if that differs. */
  private long terms() {
    return sum.op() instanceof Contraction && !(sum.op() instanceof RaggedDot)
        ? (long) (CostAnalysis.flops(List.of(sum)) / 2 / sum.arrayShape().elementCount())
        : 0;
  }

  /** Returns how often a sum rounds: a single product only does as the result. */
  private double roundings(double terms) {
    double all = terms - 1;
    if (sum.op() instanceof Contraction) {
      boolean isComplex = sum.arrayShape().elementType().isComplex();
      double each = terms * (isComplex ? 4 : sum.op() instanceof ScaledDot ? 3 : 1);
      all = each < 2 && operandError() == 0 ? 0 : each;
    }
    return isInside && all > 64 ? 8 * Math.sqrt(all) : all;
  }

  @Override
  public IntToDoubleFunction apply(Bounds bounds) {
    Terms all = new Terms(sum, bounds.output, bounds.operands);
    long terms = terms();
    boolean inTrees = isInTrees(bounds.type);
    Literal magnitudes = all.sums(x -> x);
    Literal counts = terms > 0 ? magnitudes : all.sums(x -> x == 0 ? 0 : 1);
    Literal squares = inTrees ? all.sums(x -> x * x) : magnitudes;
    return i -> {
      int element = i / bounds.parts;
      double count = terms > 0 ? terms : counts.doubleAt(element);
      double error = error(bounds, i, magnitudes.doubleAt(element), roundings(count));
      double partials = inTrees ? partials(bounds.values[i], squares.doubleAt(element), count) : 0;
      return partials > 0
          ? Math.max(error, DEVIATIONS * bounds.unit() * Math.sqrt(partials))
          : error;
    };
  }

  /**
   * Returns the sum of the squares of all partial sums of terms in random order: of m terms with
   * the sum s and the sum of squares q, m s^2 / 3 + (m q - s^2) / 6.
   */
  private static double partials(double sum, double squares, double count) {
    double total = 0;
    double here = squares;
    for (double n = count; n > 1; n = Math.ceil(n / BRANCHES)) {
      double m = Math.min(n, BRANCHES);
      double mean = sum / n;
      double spread = m * (n - m) / Math.max(1, n - 1) * Math.max(0, here / n - mean * mean);
      double of = n / m * (m * m * mean * mean + spread);
      total += (m + 1) * of / 3 + Math.max(0, m * here - of) / 6;
      here = of;
    }
    return total;
  }

  private double error(Bounds bounds, int i, double magnitude, double roundings) {
    if (magnitude > accumulator.type().maxFinite() && roundings > 0) {
      return Double.NaN;
    } else if (magnitude == 0 && bounds.values[i] == 0) {
      return 0;
    } else if (Double.isInfinite(bounds.values[i]) && magnitude > bounds.type.maxFinite()) {
      bounds.include(i, Math.copySign(bounds.type.maxFinite(), bounds.values[i]));
    } else if (operandError() > 0 || roundings > exact(bounds, accumulator)) {
      boolean writes = sum.op() instanceof Scatter || sum.op() instanceof SelectAndScatter;
      int times = writes || bounds.type == ElementType.F64 ? 2 : 1; // the reference's, too
      double error = roundings * (accumulator.unit() * magnitude + accumulator.least());
      return times * error + operandError() * magnitude;
    }
    return Allowance.NONE;
  }

  /** Returns how many roundings are none: that to the type of the accumulator is the result's. */
  private static int exact(Bounds bounds, Allowance.Accumulator accumulator) {
    return bounds.type == accumulator.type() ? 1 : 0;
  }

  /**
   * Products: each multiplication rounds once, in any order. Where some factors overflow or
   * underflow together, anything.
   *
   * @param product the instruction
   * @param accumulator the type of the partial products
   */
  static Allowance product(HloInstruction product, Allowance.Accumulator accumulator) {
    return Allowance.ofErrors(
        "factors multiplied in " + accumulator.type() + " in any order",
        accumulator,
        bounds -> {
          Terms all = new Terms(product, bounds.output, bounds.operands);
          Literal large = all.products(x -> Math.max(1, x));
          Literal small = all.products(x -> x == 0 ? 1 : Math.min(1, x));
          Literal counts = all.sums(x -> x == 1 ? 0 : 1);
          double unit = accumulator.unit() + bounds.unit(); // the reference's, too
          return i -> {
            int element = i / bounds.parts;
            double roundings = counts.doubleAt(element) - 1;
            double modulus = bounds.modulus(element);
            boolean isInRange =
                large.doubleAt(element) <= accumulator.type().maxFinite()
                    && small.doubleAt(element) >= accumulator.least();
            boolean isExact = roundings <= exact(bounds, accumulator) || modulus == 0;
            return !isInRange
                ? Double.NaN
                : isExact || !Double.isFinite(modulus)
                    ? Allowance.NONE
                    : bounds.parts * bounds.parts * roundings * unit * modulus;
          };
        });
  }
}
