package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * A part of a result that may share the buffer of a part of an operand.
 *
 * @param output the part of the result: a tuple index at each level; empty for the whole result
 * @param operand the operand number
 * @param operandIndex the part of the operand, likewise
 */
public record Aliasing(Dims output, int operand, Dims operandIndex) {
  /**
   * Refuses pairs whose parts do not exist or differ in shape, and two pairs for one part of the
   * result.
   *
   * @param ignoresBuffers whether a buffer and its array count as the same shape
   */
  static void requireValid(
      List<Aliasing> aliasing,
      ImmutableList<Shape> operands,
      Shape result,
      boolean ignoresBuffers) {
    Set<Dims> outputs = new HashSet<>();
    for (Aliasing pair : aliasing) {
      require(
          pair.operand >= 0 && pair.operand < operands.size(),
          "",
          "output_to_operand_aliasing %s got operand %s, want one of %s",
          pair,
          pair.operand,
          operands.size());
      Shape to = pair.part(result, pair.output);
      Shape from = pair.part(operands.get(pair.operand), pair.operandIndex);
      require(
          to.compatible(from)
              || (ignoresBuffers && to.withoutBuffers().compatible(from.withoutBuffers())),
          "",
          "output_to_operand_aliasing %s got %s and %s, want the same shape",
          pair,
          to,
          from);
      require(
          outputs.add(pair.output),
          "",
          "output_to_operand_aliasing got %s twice, want each output once",
          pair.output);
    }
  }

  private Shape part(Shape whole, Dims index) {
    Shape part = whole;
    for (int i = 0; i < index.count(); i++) {
      require(
          part instanceof Shape.Tuple tuple
              && index.get(i) >= 0
              && index.get(i) < tuple.elements().size(),
          "",
          "output_to_operand_aliasing %s got index %s, want one of %s",
          this,
          index,
          whole);
      part = ((Shape.Tuple) part).elements().get(index.getInt(i));
    }
    return part;
  }

  /** Returns the HLO text: {@code {1}: (0, {})}. */
  @Override
  public String toString() {
    return braced(output) + ": (" + operand + ", " + braced(operandIndex) + ")";
  }

  private static String braced(Dims index) {
    return index.stream().mapToObj(Long::toString).collect(Collectors.joining(",", "{", "}"));
  }
}
