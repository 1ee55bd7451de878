package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.schema.OpAttribute;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.source.ParseException;

/**
 * A reader of the op of an instruction. Each attribute of its schema comes from the text attribute
 * of that name, or from the shape of the result.
 *
 * @param opcode the opcode, known
 * @param at its position
 * @param declared the declared shape of the result
 * @param operands the operands
 * @param attributes the attributes after the operands
 * @param definitions the computations that may be called
 */
record OpReader(
    String opcode,
    int at,
    Optional<Shape> declared,
    ImmutableList<HloInstruction> operands,
    AttributeReader attributes,
    Definitions definitions) {
  /** Attributes that XLA reads, of what hlo4j does not compute. */
  private static final ImmutableList<String> SPARSE =
      ImmutableList.of("sparsity", "sparsity_config");

  /** The op, the computations that it calls, and the shape of its result. */
  record Result(Op op, ImmutableList<HloComputation> called, Shape shape) {}

  /** Returns the result for a parameter or constant, whose op already exists. */
  Result of(Op op) {
    return result(op, called(op));
  }

  /** Reads any other op. */
  Result read() {
    Optional<Elementwise> elementwise = OpSchema.elementwise(opcode);
    return elementwise.isPresent()
        ? of(elementwise.get())
        : read(OpSchema.of(opcode).orElseThrow());
  }

  private Result read(OpSchema schema) {
    SPARSE.forEach(this::refuse);
    List<Object> values = new ArrayList<>();
    Optional<String> assumed = Optional.empty();
    for (OpAttribute attribute : schema.attributes()) {
      Optional<Object> value = value(attribute);
      if (value.isEmpty() && assumed.isEmpty()) {
        assumed = Optional.of(attribute.name());
      }
      values.add(value.orElseGet(() -> whenAbsent(attribute)));
    }
    Op op = ShapeParser.checked(at, () -> schema.create(values));
    ImmutableList<HloComputation> called = called(op);
    Operands inputs = HloInstruction.inputs(operands, called);
    if (assumed.isPresent() && !suits(op, inputs)) {
      throw attributes.missing(opcode, assumed.get());
    }
    Op typed =
        declared
            .map(shape ->
                ShapeParser.checked(at, () -> schema.withPartOfShape(op, values, inputs, shape)))
            .orElse(op);
    return result(typed, called);
  }

  private void refuse(String attribute) {
    attributes.check(
        attribute,
        (_, name) -> {
          throw new ParseException(
              name, "got " + attribute + ", which hlo4j does not support: want dense operands");
        });
  }

  /** Returns whether shape inference succeeds, with the declared shape if there is one. */
  private boolean suits(Op op, Operands inputs) {
    return declared
        .map(shape -> OpSchema.suits(op, inputs, shape))
        .orElseGet(() -> OpSchema.infers(op, inputs));
  }

  /**
   * Returns the value of an attribute; empty if it is absent and has a default that must suit the
   * shapes.
   */
  private Optional<Object> value(OpAttribute attribute) {
    if (!attribute.isNamed()) {
      return Optional.of(opcode.equals("conditional") ? indexType() : fromShape(attribute));
    }
    Optional<Object> written = attributes.take(attribute.name(), Codec.of(attribute).parse());
    Optional<Object> implied = written.or(() -> impliedByOperands(attribute));
    if (implied.isPresent()) {
      return implied;
    }
    return switch (attribute.absence()) {
      case DEFAULT -> Optional.of(whenAbsent(attribute));
      case DEFAULT_IF_SHAPES_SUIT -> Optional.empty();
      case MISTAKE -> throw attributes.missing(opcode, attribute.name());
    };
  }

  private static Object whenAbsent(OpAttribute attribute) {
    return attribute.defaultValue().or(() -> Codec.of(attribute).whenAbsent()).orElseThrow();
  }

  /** Returns the value of an absent attribute that the operands imply. */
  private Optional<Object> impliedByOperands(OpAttribute attribute) {
    if (operands.isEmpty()) {
      return Optional.empty();
    }
    Shape first = operands.get(0).shape().withoutLayout();
    return switch (attribute.name()) {
      case "outfeed_shape" -> Optional.of(first);
      case "dimensions" -> opcode.equals("map") ? allOf(first) : Optional.empty();
      default -> Optional.empty();
    };
  }

  /** Returns all dimensions of an operand; without a declared shape, they have to be written. */
  private Optional<Object> allOf(Shape operand) {
    if (!(operand instanceof Shape.Array array)) {
      return Optional.empty();
    }
    if (declared.isEmpty() && array.rank() > 0) {
      throw attributes.missing(opcode, "dimensions");
    }
    return Optional.of(Dims.range(0, array.rank()));
  }

  /**
   * Returns the index type of a conditional, which the names of its branch attributes determine.
   */
  private ElementType indexType() {
    return attributes.has("true_computation") || attributes.has("false_computation")
        ? ElementType.PRED
        : ElementType.S32;
  }

  /** Returns an attribute that is the shape of the result or its element type. */
  private Object fromShape(OpAttribute attribute) {
    if (declared.isEmpty() && attribute.component().getType() == Optional.class) {
      return Optional.empty();
    }
    Shape shape =
        declared.orElseThrow(
            () -> new ParseException(at, "got " + opcode + " without a shape, want one before it"));
    return attribute
        .inShape(shape)
        .orElseThrow(() ->
            new ParseException(
                at, "got " + opcode + " of shape " + shape.withoutLayout() + ", want an array"));
  }

  /** Returns the called computations, each from its attribute. */
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

  private Result result(Op op, ImmutableList<HloComputation> called) {
    Shape shape =
        declared.orElseGet(
            () -> ShapeParser.checked(at, () -> op.infer(HloInstruction.inputs(operands, called))));
    return new Result(op, called, shape);
  }
}
