package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * Operands whose dimensions go together, as those of an addition. Where one is dynamic its size
 * holds for all: others that are dynamic have to have it too, and static ones, whose size is the
 * bound, are cut to it, as XLA does.
 */
final class AgreeingSizes {
  private static final int ALONE = -1;

  /** A dynamic dimension, and whose it is. */
  private record Found(HloInstruction operand, int dimension, long size) {
    @Override
    public String toString() {
      Shape shape = operand.shape().withoutLayout();
      return String.format("%s in dimension %s of %s %s", size, dimension, operand.name(), shape);
    }
  }

  private AgreeingSizes() {}

  /** The operands, static ones cut. */
  static List<Literal> cut(HloInstruction instruction, List<Literal> operands) {
    List<Dims> places = places(instruction.op(), operands);
    Map<Long, Found> found = new HashMap<>();
    for (int k = 0; k < places.size(); k++) {
      for (int i = 0; i < places.get(k).count(); i++) {
        note(instruction, operands.get(k), k, i, places.get(k).get(i), found);
      }
    }
    List<Literal> cut = new ArrayList<>(operands);
    for (int k = 0; k < places.size(); k++) {
      cut.set(k, cut(operands.get(k), places.get(k), found));
    }
    return cut;
  }

  private static void note(
      HloInstruction instruction,
      Literal value,
      int operand,
      int dimension,
      long place,
      Map<Long, Found> found) {
    HloInstruction from = instruction.operands().get(operand);
    if (place == ALONE || !((Shape.Array) from.shape()).isDynamic(dimension)) {
      return;
    }
    Found next = new Found(from, dimension, value.arrayShape().size(dimension));
    Found before = found.putIfAbsent(place, next);
    require(
        before == null || before.size == next.size,
        "",
        "%s: sizes at run time got %s, but %s, want the same",
        instruction.op().opcode(),
        before,
        next);
  }

  private static Literal cut(Literal value, Dims places, Map<Long, Found> found) {
    Dims sizes = value.arrayShape().sizes();
    Dims kept = sizes;
    for (int i = 0; i < places.count(); i++) {
      Found size = found.get(places.get(i));
      kept = size == null ? kept : kept.with(i, Math.min(size.size, sizes.get(i)));
    }
    return kept.equals(sizes) ? value : Boxes.first(value, kept);
  }

  /** For each operand, or for the first of them, the place that each of its dimensions has. */
  private static List<Dims> places(Op op, List<Literal> in) {
    if (op instanceof Dot dot) {
      return List.of(
          places(in.get(0), dot.lhsBatchDims(), dot.lhsContractingDims()),
          places(in.get(1), dot.rhsBatchDims(), dot.rhsContractingDims()));
    }
    int count = op instanceof Reduce ? in.size() / 2 : goSideBySide(op) ? in.size() : 0;
    List<Dims> places = new ArrayList<>();
    for (Literal operand : in.subList(0, count)) {
      Dims all = Dims.range(0, operand.arrayShape().rank());
      places.add(op instanceof Concatenate c ? all.with(c.dimension(), ALONE) : all);
    }
    return places;
  }

  /** Other ops refuse by their own rules sizes that do not go together. */
  private static boolean goSideBySide(Op op) {
    return op instanceof Elementwise
        || op instanceof Compare
        || op instanceof Select
        || op instanceof Clamp
        || op instanceof org.hlo4j.hlo.op.Map
        || op instanceof StochasticConvert
        || op instanceof Sort
        || op instanceof Concatenate;
  }

  private static Dims places(Literal operand, Dims batch, Dims contracting) {
    Dims places = Dims.filled(operand.arrayShape().rank(), ALONE);
    Dims paired = batch.concat(contracting);
    for (int i = 0; i < paired.count(); i++) {
      places = places.with(paired.getInt(i), i);
    }
    return places;
  }
}
