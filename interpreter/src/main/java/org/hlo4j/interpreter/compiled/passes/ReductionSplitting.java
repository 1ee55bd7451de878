package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.expr.ReductionOp;
import org.hlo4j.interpreter.compiled.expr.SingleOp;

/**
 * Splitting of a reduction whose dimensions lie on both sides of a kept one, such as a mean over
 * groups of channels. The outer dimensions are reduced first, where whole rows are reduced into a
 * row; then the short innermost ones. Only reductions that may be reordered are split. Sums of
 * floats stay in f64 between the two steps, so that they are still rounded once.
 */
final class ReductionSplitting extends Pass {
  /** A reduction with longer rows is fast without being split. */
  private static final int MAX_INNER = 64;

  private static final int MIN_OUTER = 4;

  /**
   * A reduction of fewer terms is fast without being split. How many reductions there are does not
   * matter, so that none of them depends on its batch.
   */
  private static final int MIN_TERMS = 256;

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return rewriteEach((_, instruction, rewriter) ->
        instruction.op() instanceof Reduce && instruction.operands().size() == 2
            ? split(instruction, rewriter)
            : instruction);
  }

  private static HloInstruction split(HloInstruction reduce, Rewriter rewriter) {
    Dims reduced = ((Reduce) reduce.op()).dimensions();
    Shape.Array shape = array(reduce, 0);
    Dims inner = innermost(shape.sizes(), reduced);
    Dims outer = Dims.copyOf(reduced.stream().filter(d -> !inner.contains(d)).boxed().toList());
    Optional<ReductionOp> op = SingleOp.of(reduce.called().get(0)).flatMap(ReductionOp::of);
    boolean isProfitable = shape.elementCount() > 0 && isProfitable(shape.sizes(), inner, outer);
    if (!isProfitable || op.isEmpty() || !isReorderable(op.get(), shape.elementType())) {
      return reduce;
    }
    rewriter.session().count("reduce split");
    Dims left = new Reduce(outer).kept(shape.rank());
    Dims places = Dims.copyOf(inner.stream().mapToObj(left::indexOf).toList());
    return reducedTwice(reduce, op.get() == ReductionOp.ADD, outer, places, rewriter);
  }

  private static boolean isProfitable(Dims sizes, Dims inner, Dims outer) {
    long count = sizes.at(inner).product();
    long outerCount = sizes.at(outer).product();
    return count > 1
        && count <= MAX_INNER
        && outerCount >= MIN_OUTER
        && count * outerCount >= MIN_TERMS;
  }

  /**
   * Returns the reduced dimensions after the last kept one. Kept dimensions of size 1 are ignored.
   */
  private static Dims innermost(Dims sizes, Dims reduced) {
    int first = sizes.count();
    while (first > 0 && (reduced.contains(first - 1) || sizes.get(first - 1) == 1)) {
      first--;
    }
    int behind = first;
    return Dims.copyOf(reduced.stream().filter(d -> d >= behind).boxed().toList());
  }

  private static boolean isReorderable(ReductionOp op, ElementType type) {
    return switch (op) {
      case ADD -> !type.isComplex();
      case MAXIMUM, MINIMUM, AND, OR -> true;
      case MULTIPLY, XOR -> false;
    };
  }

  /**
   * Reduces in two steps. A sum adds the initial value in the second only; another reducer is
   * idempotent, so that it may be used in both.
   */
  private static HloInstruction reducedTwice(
      HloInstruction reduce, boolean isSum, Dims outer, Dims inner, Rewriter rewriter) {
    ElementType type = array(reduce).elementType();
    boolean isWide = isSum && type.isFloating() && type != ElementType.F64;
    ElementType between = isWide ? ElementType.F64 : type;
    HloComputation body = isWide ? rewriter.addition(between) : reduce.called().get(0);
    Literal zero = Literal.zeros(Shape.of(between));
    HloInstruction first =
        isSum
            ? rewriter.constant(between == ElementType.F64 ? Literal.of(-0.0) : zero)
            : reduce.operands().get(1);
    HloInstruction array = rewriter.convert(reduce.operands().get(0), between);
    HloInstruction init = rewriter.convert(reduce.operands().get(1), between);
    HloInstruction rows = rewriter.reduce(array, first, body, outer);
    return isWide
        ? rewriter.newReplacement(
            reduce, new Convert(type), rewriter.reduce(rows, init, body, inner))
        : rewriter.newReplacement(reduce, new Reduce(inner), rows, init).withCalled(List.of(body));
  }
}
