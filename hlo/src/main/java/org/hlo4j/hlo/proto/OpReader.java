package org.hlo4j.hlo.proto;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * A reader of the op of an instruction. Each attribute comes from its field or from the shape of
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
    Optional<Op> elementwise = OpSchema.elementwise(opcode).map(Op.class::cast);
    return elementwise.orElseGet(() ->
        read(
            OpSchema.of(opcode)
                .orElseThrow(() ->
                    message.refusal("opcode", "got \"" + opcode + "\", want an opcode of HLO"))));
  }

  private Op read(OpSchema schema) {
    if (schema.type() == Constant.class && !message.has("literal")) {
      return new Constant(leftOut(shape.withoutLayout()));
    }
    List<Object> values =
        schema.attributes().stream().map(attribute -> value(schema, attribute)).toList();
    Op op =
        message.located(() ->
            schema.withPartOfShape(
                schema.create(values), values, HloInstruction.inputs(operands, called), shape));
    return op instanceof Compare compare ? withoutDefaultType(compare) : op;
  }

  private Object value(OpSchema schema, OpAttribute attribute) {
    if (attribute.place() != OpAttribute.Place.SHAPE) {
      return OpFields.read(message, attribute);
    }
    return schema.type() == Conditional.class
        ? indexType()
        : attribute
            .inShape(shape)
            .orElseThrow(
                () -> message.refusal("shape", "got " + shape.withoutLayout() + ", want an array"));
  }

  /**
   * Removes a default comparison type: XLA writes the type of every comparison, HLO text only one
   * that is not the default.
   */
  private Compare withoutDefaultType(Compare compare) {
    boolean isDefault = compare.type().equals(defaultType(operands));
    return isDefault ? new Compare(compare.direction(), Optional.empty()) : compare;
  }

  /** Returns the type of a comparison that does not specify one. */
  static Optional<Compare.Type> defaultType(List<HloInstruction> operands) {
    return !operands.isEmpty() && operands.get(0).shape() instanceof Shape.Array array
        ? Optional.of(Compare.Type.defaultFor(array.elementType()))
        : Optional.empty();
  }

  private ElementType indexType() {
    boolean predicate =
        !operands.isEmpty()
            && operands.get(0).shape() instanceof Shape.Array array
            && array.elementType() == ElementType.PRED;
    return predicate ? ElementType.PRED : ElementType.S32;
  }

  /**
   * Returns the literal of a constant without a value, which HLO text writes as <code>{...}</code>.
   */
  private Literal leftOut(Shape part) {
    return switch (part) {
      case Shape.Array array -> Literal.elided(array);
      case Shape.Tuple tuple when !tuple.elements().isEmpty() ->
          Literal.tuple(tuple.elements().stream().map(this::leftOut).toList());
      case Shape.Tuple _, Shape.Token _, Shape.Opaque _, Shape.Buffer _ ->
          throw message.refusal("got a constant of shape " + shape + " without its literal");
    };
  }
}
