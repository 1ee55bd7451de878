package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.StochasticConvert;

/**
 * The matching of dimensions that must have the same size, such as those of the operands of an
 * addition. If one of them is dynamic, its size at run time holds for all: other dynamic ones must
 * have the same size, and static ones, whose size is the bound, are cut to it, as XLA does.
 */
final class MatchingDimensions {
  private static final int UNCONSTRAINED = -1;

  /** A dynamic dimension of an operand, and its size at run time. */
  private record DynamicSize(HloInstruction operand, int dimension, long size) {
    @Override
    public String toString() {
      Shape shape = operand.shape().withoutLayout();
      return String.format("%s in dimension %s of %s %s", size, dimension, operand.name(), shape);
    }
  }

  private MatchingDimensions() {}

  /** Returns the operands, with static dimensions cut to the sizes of dynamic ones. */
  static List<Literal> trim(HloInstruction instruction, List<Literal> operands) {
    List<Dims> sizeClasses = sizeClasses(instruction.op(), operands);
    Map<Long, DynamicSize> found = new HashMap<>();
    for (int k = 0; k < sizeClasses.size(); k++) {
      for (int i = 0; i < sizeClasses.get(k).count(); i++) {
        note(instruction, operands.get(k), k, i, sizeClasses.get(k).get(i), found);
      }
    }
    List<Literal> cut = new ArrayList<>(operands);
    for (int k = 0; k < sizeClasses.size(); k++) {
      cut.set(k, trim(operands.get(k), sizeClasses.get(k), found));
    }
    return cut;
  }

  private static void note(
      HloInstruction instruction,
      Literal value,
      int operand,
      int dimension,
      long sizeClass,
      Map<Long, DynamicSize> found) {
    HloInstruction from = instruction.operands().get(operand);
    if (sizeClass == UNCONSTRAINED || !((Shape.Array) from.shape()).isDynamic(dimension)) {
      return;
    }
    DynamicSize next = new DynamicSize(from, dimension, value.arrayShape().size(dimension));
    DynamicSize before = found.putIfAbsent(sizeClass, next);
    require(
        before == null || before.size == next.size,
        "",
        "%s: sizes at run time got %s, but %s, want the same",
        instruction.op().opcode(),
        before,
        next);
  }

  private static Literal trim(Literal value, Dims sizeClasses, Map<Long, DynamicSize> found) {
    Dims sizes = value.arrayShape().sizes();
    Dims kept = sizes;
    for (int i = 0; i < sizeClasses.count(); i++) {
      DynamicSize size = found.get(sizeClasses.get(i));
      kept = size == null ? kept : kept.with(i, Math.min(size.size, sizes.get(i)));
    }
    return kept.equals(sizes) ? value : Boxes.truncate(value, kept);
  }

  /**
   * Returns, for each operand or for the first of them, a number for each of its dimensions.
   * Dimensions with the same number must have the same size.
   */
  private static List<Dims> sizeClasses(Op op, List<Literal> in) {
    return switch (op) {
      case Dot dot ->
          List.of(
              sizeClasses(in.get(0), dot.lhsBatchDims(), dot.lhsContractingDims()),
              sizeClasses(in.get(1), dot.rhsBatchDims(), dot.rhsContractingDims()));
      case Concatenate c -> all(in).map(all -> all.with(c.dimension(), UNCONSTRAINED)).toList();
      case Reduce _ -> all(in.subList(0, in.size() / 2)).toList();
      case Clamp _, Compare _, Elementwise _, Select _, StochasticConvert _, Sort _ ->
          all(in).toList();
      case org.hlo4j.hlo.op.Map _ -> all(in).toList();
      // these take one array, or have rules of their own that reject sizes that do not match
      default -> List.of();
    };
  }

  private static Stream<Dims> all(List<Literal> in) {
    return in.stream().map(operand -> Dims.range(0, operand.arrayShape().rank()));
  }

  private static Dims sizeClasses(Literal operand, Dims batch, Dims contracting) {
    Dims sizeClasses = Dims.filled(operand.arrayShape().rank(), UNCONSTRAINED);
    Dims paired = batch.concat(contracting);
    for (int i = 0; i < paired.count(); i++) {
      sizeClasses = sizeClasses.with(paired.getInt(i), i);
    }
    return sizeClasses;
  }
}
