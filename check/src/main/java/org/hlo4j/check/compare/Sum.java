package org.hlo4j.check.compare;

import java.util.List;
import org.hlo4j.check.compare.ToleranceProfile.DotPrecision;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;

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
    implements Allowance.Rule {
  /** How many roundings of the root of partial sums squared; XLA:CPU was seen to need 2.3. */
  private static final double DEVIATIONS = 2.5;

  private static final double BRANCHES = 32;

  Allowance allowance() {
    long terms = terms();
    String count = terms > 0 ? terms + " " : "";
    boolean inTrees = isInTrees(type(sum.operands().get(0)));
    String other = inTrees ? ", or in trees of their own type" : "";
    String given = operandError() > 0 ? ", operands in " + precision : "";
    String words = count + "terms added in " + accumulator.type() + " in any order" + other + given;
    return new Allowance(words, this);
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

  /**
   * Returns how many terms meet at most, products counted twice; 0 to count them: of one product
   * only a zero may differ.
   */
  private long terms() {
    if (!(sum.op() instanceof Contraction op)) {
      return 0;
    }
    boolean isComplex = sum.arrayShape().elementType().isComplex();
    Dims lhs = sum.operands().get(0).arrayShape().sizes();
    Dims rhs = sum.operands().get(1).arrayShape().sizes();
    long terms =
        switch (op) {
          case Dot dot -> lhs.at(dot.lhsContractingDims()).product();
          case RaggedDot dot -> lhs.at(dot.lhsContractingDims()).product();
          case ScaledDot dot -> 3 * lhs.at(dot.lhsContractingDims()).product();
          case Convolution of ->
              of.window().sizes().product() * rhs.get(of.dimLabels().kernelInputFeatureDimension());
        };
    boolean isProduct = terms * (isComplex ? 2 : 1) < 2;
    return isProduct && operandError() == 0 ? 0 : (isComplex ? 4 : 1) * terms;
  }

  @Override
  public void apply(Bounds bounds, int output, List<Literal> operands) {
    Terms all = new Terms(sum, output, operands);
    long terms = terms();
    boolean inTrees = isInTrees(bounds.type);
    Literal magnitudes = all.sums(Terms.MAGNITUDE);
    Literal counts = terms > 0 ? magnitudes : all.sums(Terms.COUNT);
    Literal squares = inTrees ? all.sums(Terms.SQUARE) : magnitudes;
    for (int i = 0; i < bounds.size(); i++) {
      int element = i / bounds.parts;
      double most = terms > 0 ? terms : counts.doubleAt(element) - 1;
      double roundings = isInside && most > 64 ? 8 * Math.sqrt(most) : most;
      bound(bounds, i, magnitudes.doubleAt(element), roundings);
      if (inTrees) {
        double partials = partials(bounds.values[i], squares.doubleAt(element), most + 1);
        bounds.widen(i, DEVIATIONS * bounds.unit() * Math.sqrt(partials));
      }
    }
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

  private void bound(Bounds bounds, int i, double magnitude, double roundings) {
    boolean isSameType = bounds.type == accumulator.type();
    if (magnitude > accumulator.type().maxFinite() && roundings > 0) {
      bounds.setAnything(i);
    } else if (magnitude == 0 && bounds.values[i] == 0) {
      bounds.includeZeros(i);
    } else if (Double.isInfinite(bounds.values[i]) && magnitude > bounds.type.maxFinite()) {
      bounds.include(i, Math.copySign(bounds.type.maxFinite(), bounds.values[i]));
    } else if (operandError() > 0 || roundings > (isSameType ? 1 : 0)) {
      boolean writes = sum.op() instanceof Scatter || sum.op() instanceof SelectAndScatter;
      int times = writes || bounds.type == ElementType.F64 ? 2 : 1; // the reference's, too
      double error = roundings * (accumulator.unit() * magnitude + accumulator.least());
      bounds.widen(i, times * error + operandError() * magnitude);
    }
  }

  /**
   * Products: each multiplication rounds once, in any order. Where some factors overflow or
   * underflow together, anything.
   *
   * @param product the instruction
   * @param accumulator the type of the partial products
   */
  static Allowance product(HloInstruction product, Allowance.Accumulator accumulator) {
    return new Allowance(
        "factors multiplied in " + accumulator.type() + " in any order",
        (bounds, output, operands) -> {
          Terms all = new Terms(product, output, operands);
          Literal large = all.products(Terms.LARGE);
          Literal small = all.products(Terms.SMALL);
          Literal counts = all.sums(factor -> factor == 1 ? 0 : 1);
          double units = accumulator.unit() + bounds.unit(); // the reference's, too
          for (int i = 0; i < bounds.size(); i++) {
            int element = i / bounds.parts;
            double roundings = counts.doubleAt(element) - 1;
            if (large.doubleAt(element) > accumulator.type().maxFinite()
                || small.doubleAt(element) < accumulator.least()) {
              bounds.setAnything(i);
            } else if (roundings > (bounds.type == accumulator.type() ? 1 : 0)) {
              int each = bounds.parts * bounds.parts;
              bounds.widen(i, each * roundings * units * bounds.modulus(element));
            }
          }
        });
  }
}
