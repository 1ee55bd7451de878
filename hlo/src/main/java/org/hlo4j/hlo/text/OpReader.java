package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;

/**
 * Makes the op of an instruction: each component of its record from the attribute of that name, or
 * from the shape of the result.
 *
 * @param opcode the opcode, known
 * @param at where it stands
 * @param declared the shape before it
 * @param operands the operands
 * @param attributes what is behind it
 * @param definitions the computations that may be called
 */
record OpReader(
    String opcode,
    int at,
    Optional<Shape> declared,
    ImmutableList<HloInstruction> operands,
    AttributeReader attributes,
    Definitions definitions) {
  /** The op, what it calls, and the shape of its result. */
  record Result(Op op, ImmutableList<HloComputation> called, Shape shape) {}

  /** The op of a parameter or constant, which is made already. */
  Result of(Op op) {
    return result(op, called(op));
  }

  /** The op of all others. */
  Result read() {
    Optional<Elementwise> elementwise = Opcodes.elementwise(opcode);
    return elementwise.isPresent()
        ? of(elementwise.get())
        : read(Attributes.of(Opcodes.record(opcode).orElseThrow()));
  }

  private Result read(Attributes record) {
    List<Object> values = new ArrayList<>();
    int optionalType = -1;
    boolean assumed = false;
    for (Attributes.Attribute attribute : record.all()) {
      if (attribute.isOptionalElementType()) {
        optionalType = values.size();
      }
      Optional<Object> value = value(attribute);
      assumed |= value.isEmpty();
      values.add(value.orElseGet(() -> attribute.codec().orElseThrow().whenAbsent().orElseThrow()));
    }
    Op op = ShapeParser.checked(at, () -> record.create(values));
    ImmutableList<HloComputation> called = called(op);
    if (assumed && !suits(op, called)) {
      throw missing(record);
    }
    if (optionalType >= 0 && declared.isPresent() && !suits(op, called)) {
      Optional<Op> typed = withElementType(record, values, optionalType, called);
      return result(typed.orElse(op), called);
    }
    return result(op, called);
  }

  /** The value of a component; empty where it is not written and may be what is assumed. */
  private Optional<Object> value(Attributes.Attribute attribute) {
    if (attribute.codec().isEmpty()) {
      return Optional.of(
          opcode.equals("conditional") ? indexType() : fromShape(attribute.component().getType()));
    }
    Codec<Object> codec = attribute.codec().get();
    Optional<Object> written = attributes.take(attribute.name(), codec.parse());
    Optional<Object> implied = written.or(() -> impliedByOperands(attribute));
    if (implied.isPresent() || attribute.isAssumed()) {
      return implied;
    }
    if (attribute.mayBeAbsent()) {
      return codec.whenAbsent();
    }
    Optional<Object> leftOut = attribute.whenLeftOut();
    if (leftOut.isPresent()) {
      return leftOut;
    }
    throw attributes.missing(opcode, attribute.name());
  }

  /** What the operands tell where it is not written. */
  private Optional<Object> impliedByOperands(Attributes.Attribute attribute) {
    if (operands.isEmpty()) {
      return Optional.empty();
    }
    Shape first = operands.get(0).shape().withoutLayout();
    return switch (attribute.name()) {
      case "outfeed_shape" -> Optional.of(first);
      case "dimensions" ->
          opcode.equals("map") && first instanceof Shape.Array array
              ? Optional.of(Dims.range(0, array.rank()))
              : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** A conditional says by the names of its branches which type its index has. */
  private ElementType indexType() {
    return attributes.has("true_computation") || attributes.has("false_computation")
        ? ElementType.PRED
        : ElementType.S32;
  }

  private ParseException missing(Attributes record) {
    for (Attributes.Attribute attribute : record.all()) {
      if (attribute.isAssumed() && !attributes.has(attribute.name())) {
        return attributes.missing(opcode, attribute.name());
      }
    }
    throw new AssertionError(opcode);
  }

  /** A component that is the shape of the result or its element type. */
  private Object fromShape(Class<?> type) {
    if (type == Optional.class) {
      return Optional.empty();
    }
    Shape shape =
        declared
            .orElseThrow(() ->
                new ParseException(at, "got " + opcode + " without a shape, want one before it"))
            .withoutLayout();
    if (type == Shape.class) {
      return isData() && shape instanceof Shape.Tuple tuple && !tuple.elements().isEmpty()
          ? tuple.elements().get(0)
          : shape;
    }
    if (!(shape instanceof Shape.Array array)) {
      throw new ParseException(at, "got " + opcode + " of shape " + shape + ", want an array");
    }
    return type == ElementType.class ? array.elementType() : array;
  }

  /** Whether the op gives what it is asked for as the first of several things. */
  private boolean isData() {
    return opcode.equals("recv") || opcode.equals("infeed");
  }

  /** The computations called, each by its attribute. */
  private ImmutableList<HloComputation> called(Op op) {
    ImmutableList.Builder<HloComputation> called = ImmutableList.builder();
    for (String callee : op.callees()) {
      called.add(
          attributes
              .take(callee, definitions::callee)
              .orElseThrow(() -> attributes.missing(opcode, callee)));
    }
    op.calleeList()
        .flatMap(list -> attributes.take(list, this::computationList))
        .ifPresent(called::addAll);
    if (op instanceof CustomCall) {
      attributes.take("to_apply", definitions::callee).ifPresent(called::add);
    }
    return called.build();
  }

  private ImmutableList<HloComputation> computationList(Lexer text) {
    return Codec.parseList(text, definitions::callee);
  }

  /** The op with the declared element type, if that is what makes the shape right. */
  private Optional<Op> withElementType(
      Attributes record, List<Object> values, int place, ImmutableList<HloComputation> called) {
    if (!(declared.orElseThrow() instanceof Shape.Array array)) {
      return Optional.empty();
    }
    List<Object> typed = new ArrayList<>(values);
    typed.set(place, Optional.of(array.elementType()));
    return Optional.of(record.create(typed)).filter(op -> suits(op, called));
  }

  /** Whether inference gives a shape, and the declared one if there is one. */
  private boolean suits(Op op, ImmutableList<HloComputation> called) {
    try {
      Shape inferred = op.infer(HloInstruction.inputs(operands, called));
      return declared.isEmpty() || inferred.compatible(declared.get());
    } catch (HloException refusal) {
      return false;
    }
  }

  private Result result(Op op, ImmutableList<HloComputation> called) {
    Shape shape =
        declared.orElseGet(
            () -> ShapeParser.checked(at, () -> op.infer(HloInstruction.inputs(operands, called))));
    return new Result(op, called, shape);
  }
}
