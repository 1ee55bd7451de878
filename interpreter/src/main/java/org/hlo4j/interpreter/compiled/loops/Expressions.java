package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.interpreter.compiled.lanes.ElementFunctions;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Relation;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Writes the code of formulas: each node once, its value kept for who uses it next. What a node
 * reads, and what a count is at the moment, the caller says; so loops of any kind can use it.
 */
public final class Expressions {
  private final Lanes lanes;
  private final Function<Node, Value> leaves;
  private final Observed observed;
  private final Map<Node, Value> values = new HashMap<>();

  /**
   * A writer.
   *
   * @param lanes where to write
   * @param leaves writes the code of a {@link Node.Read}, giving its element, or of a {@link
   *     Node.Count}, giving its number as ints
   * @param seen the values of which somebody sees the bits
   */
  Expressions(Lanes lanes, Function<Node, Value> leaves, Collection<Node> seen) {
    this.lanes = lanes;
    this.observed = new Observed(seen);
    this.leaves = leaves;
  }

  /** A value that is known already, such as that of an earlier stage. */
  void put(Node node, Value value) {
    values.put(node, value);
  }

  /** The value of a node. */
  Value value(Node node) {
    Value known = values.get(node);
    if (known == null) {
      known =
          switch (node) {
            case Node.Immediate immediate -> constant(immediate.scalar());
            case Node.Read read -> leaves.apply(read);
            case Node.Count count -> counted(count);
            case Node.Apply apply -> applied(apply);
          };
      values.put(node, known);
    }
    return known;
  }

  private Value counted(Node.Count count) {
    Value number = leaves.apply(count);
    return ElementFunctions.apply(
        lanes,
        new Convert(count.type()),
        ImmutableList.of(ElementType.S32),
        count.type(),
        ImmutableList.of(number));
  }

  private Value applied(Node.Apply apply) {
    ImmutableList.Builder<Value> operands = ImmutableList.builder();
    ImmutableList.Builder<ElementType> types = ImmutableList.builder();
    for (Node operand : apply.operands()) {
      operands.add(value(operand));
      types.add(operand.type());
    }
    Value value =
        ElementFunctions.apply(lanes, apply.op(), types.build(), apply.type(), operands.build());
    return observed.needsQuietNaN(apply) ? quiet(value) : value;
  }

  /** The value, or the one quiet NaN in place of any NaN. */
  private Value quiet(Value value) {
    Value isNaN = lanes.compare(Relation.NE, value, value);
    return lanes.select(isNaN, lanes.constant(value.lane(), Double.NaN), value);
  }

  private Value constant(Literal scalar) {
    Lane lane = Lane.of(scalar.elementType());
    Number number = lane.isFloating() ? (Number) scalar.doubleAt(0) : (Number) scalar.longAt(0);
    return lanes.constant(lane, number);
  }
}
