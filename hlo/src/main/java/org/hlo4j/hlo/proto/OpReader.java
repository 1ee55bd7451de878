package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Recv;

/**
 * Makes the op of an instruction: each component of its record from its field, or from the shape of
 * the result.
 *
 * @param message the instruction
 * @param shape the shape of its result
 * @param operands its operands
 * @param called the computations it calls
 */
record OpReader(
    ProtoMessage message,
    Shape shape,
    ImmutableList<HloInstruction> operands,
    ImmutableList<HloComputation> called) {
  Op read() {
    String opcode = message.string("opcode");
    Optional<Class<?>> type = OpTypes.record(opcode);
    Optional<Op> elementwise = OpTypes.elementwise(opcode).map(Op.class::cast);
    return elementwise.orElseGet(() ->
        read(
            type.orElseThrow(
                () -> message.refusal("opcode", "got \"" + opcode + "\", want an opcode of HLO"))));
  }

  private Op read(Class<?> type) {
    if (type == Constant.class && !message.has("literal")) {
      return new Constant(leftOut(shape.withoutLayout()));
    }
    OpFields record = OpFields.of(type);
    List<Object> values = new ArrayList<>();
    int optionalType = -1;
    for (OpFields.Attribute attribute : record.all()) {
      if (attribute.isOptionalElementType()) {
        optionalType = values.size();
      }
      values.add(attribute.codec().isPresent() ? attribute.read(message) : inShape(attribute));
    }
    Op op = message.located(() -> record.create(values));
    if (optionalType >= 0 && shape instanceof Shape.Array array && !suits(op)) {
      values.set(optionalType, Optional.of(array.elementType()));
      Op typed = message.located(() -> record.create(values));
      return suits(typed) ? typed : op;
    }
    return op instanceof Compare compare ? withoutDefaultType(compare) : op;
  }

  /** XLA writes the type of every comparison, HLO text only one that is not the default. */
  private Compare withoutDefaultType(Compare compare) {
    boolean isDefault = compare.type().equals(defaultType(operands));
    return isDefault ? new Compare(compare.direction(), Optional.empty()) : compare;
  }

  /** The type of a comparison that says none. */
  static Optional<Compare.Type> defaultType(List<HloInstruction> operands) {
    return !operands.isEmpty() && operands.get(0).shape() instanceof Shape.Array array
        ? Optional.of(Compare.Type.defaultFor(array.elementType()))
        : Optional.empty();
  }

  /** A component that is the shape of the result or its element type. */
  private Object inShape(OpFields.Attribute attribute) {
    Class<?> wanted = attribute.component().getType();
    if (wanted == Optional.class) {
      return Optional.empty();
    }
    if (attribute.isOf(Conditional.class)) {
      return indexType();
    }
    Shape plain = received(attribute).withoutLayout();
    if (wanted == Shape.class) {
      return plain;
    }
    if (!(plain instanceof Shape.Array array)) {
      throw message.refusal("shape", "got " + plain + ", want an array");
    }
    return wanted == ElementType.class ? array.elementType() : array;
  }

  /** What comes from outside is the first part of the result, before the token. */
  private Shape received(OpFields.Attribute attribute) {
    boolean first = attribute.isOf(Infeed.class) || attribute.isOf(Recv.class);
    return first && shape instanceof Shape.Tuple tuple && !tuple.elements().isEmpty()
        ? tuple.elements().get(0)
        : shape;
  }

  private ElementType indexType() {
    boolean predicate =
        !operands.isEmpty()
            && operands.get(0).shape() instanceof Shape.Array array
            && array.elementType() == ElementType.PRED;
    return predicate ? ElementType.PRED : ElementType.S32;
  }

  private boolean suits(Op op) {
    try {
      Operands inputs = HloInstruction.inputs(operands, called);
      return op.infer(inputs).compatible(shape);
    } catch (HloException refusal) {
      return false;
    }
  }

  /** A constant without its literal is what HLO text writes as <code>{...}</code>. */
  private Literal leftOut(Shape part) {
    return switch (part) {
      case Shape.Array array when !array.isDynamic() -> Literal.elided(array);
      case Shape.Tuple tuple when !tuple.elements().isEmpty() ->
          Literal.tuple(tuple.elements().stream().map(this::leftOut).toList());
      case Shape.Array _, Shape.Tuple _, Shape.Token _, Shape.Opaque _, Shape.Buffer _ ->
          throw message.refusal("got a constant of shape " + shape + " without its literal");
    };
  }
}
