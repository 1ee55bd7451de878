package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.interpreter.compiled.expr.CheapOps;

/**
 * Interchange of the last two dimensions of a reduction's input, if the last one is short and the
 * input is computed by cheap ops from broadcasts of smaller arrays. For example, the distances of
 * all points from all others, {@code [n,n,3]}, are computed as {@code [n,3,n]}. No large array has
 * to be transposed, and vectors find long rows. The order in which elements are reduced does not
 * change.
 */
final class MinorDimensionInterchange extends Pass {
  private static final int MAX_MINOR_SIZE = 8;
  private static final int MAX_COMPUTED = 20;

  /**
   * The least size of the second last dimension for which it pays to interchange, if the short last
   * dimension is reduced.
   */
  private static final int MIN_SECOND_MINOR_SIZE = 64;

  private static final int MIN_ELEMENTS = 1 << 14;

  /**
   * The least size of the second last dimension if that one is reduced. It is less than {@link
   * #MIN_SECOND_MINOR_SIZE}, since reductions with short rows are slow. The number of elements does
   * not count here, because the order of a sum follows from the layout.
   */
  private static final int MIN_REDUCED_SECOND_MINOR_SIZE = 16;

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    return rewriteEach((_, instruction, rewriter) -> {
      boolean isProfitable =
          instruction.op() instanceof Reduce reduce
              && instruction.operands().size() == 2
              && isShort(array(instruction, 0), reduce.dimensions())
              && isComputed(instruction.operands().get(0));
      if (!isProfitable) {
        return instruction;
      }
      session.count("minor dimension interchanged");
      return interchanged(instruction, rewriter);
    });
  }

  private static boolean isShort(Shape.Array shape, Dims reduced) {
    int last = shape.rank() - 1;
    if (reduced.count() != 1 || last < 1 || reduced.get(0) < last - 1) {
      return false;
    }
    boolean isSecondMinor = reduced.get(0) == last - 1;
    return shape.size(last) > 1
        && shape.size(last) <= MAX_MINOR_SIZE
        && shape.size(last - 1)
            >= (isSecondMinor ? MIN_REDUCED_SECOND_MINOR_SIZE : MIN_SECOND_MINOR_SIZE)
        && (isSecondMinor || shape.elementCount() >= MIN_ELEMENTS);
  }

  /** Returns whether a value is computed from smaller arrays by a few cheap ops. */
  private static boolean isComputed(HloInstruction number) {
    Set<HloInstruction> seen = new HashSet<>();
    return isComputed(number, array(number), seen) && seen.size() <= MAX_COMPUTED;
  }

  private static boolean isComputed(
      HloInstruction number, Shape.Array space, Set<HloInstruction> seen) {
    if (number.op() instanceof Broadcast) {
      return array(number, 0).elementCount() * 2 <= space.elementCount();
    }
    boolean isCheap =
        switch (number.op()) {
          case Elementwise op -> CheapOps.contains(op.kind());
          case Compare _, Convert _, Select _ -> true;
          default -> false;
        };
    if (!isCheap || seen.size() > MAX_COMPUTED || !array(number).sizes().equals(space.sizes())) {
      return false;
    }
    return !seen.add(number)
        || number.operands().stream()
            .allMatch(operand ->
                array(operand).sizes().equals(space.sizes()) && isComputed(operand, space, seen));
  }

  private static HloInstruction interchanged(HloInstruction reduction, Rewriter rewriter) {
    HloInstruction input = reduction.operands().get(0);
    Dims reduced = ((Reduce) reduction.op()).dimensions();
    int last = array(input).rank() - 1;
    Dims order = Dims.range(0, last + 1).with(last - 1, last).with(last, last - 1);
    HloInstruction interchanged = interchanged(input, order, new HashMap<>(), rewriter);
    Reduce op = new Reduce(Dims.of(reduced.get(0) == last ? last - 1 : last));
    return rewriter
        .newReplacement(reduction, op, interchanged, reduction.operands().get(1))
        .withCalled(reduction.called());
  }

  private static HloInstruction interchanged(
      HloInstruction number,
      Dims order,
      Map<HloInstruction, HloInstruction> known,
      Rewriter rewriter) {
    HloInstruction made = known.get(number);
    if (made == null) {
      Op broadcast = MovementRules.broadcast(number, order);
      made =
          broadcast != null
              ? rewriter.add(broadcast, number.operands().get(0))
              : rewriter.add(
                  number.op(),
                  number.operands().stream()
                      .map(operand -> interchanged(operand, order, known, rewriter))
                      .toList());
      known.put(number, made);
    }
    return made;
  }
}
