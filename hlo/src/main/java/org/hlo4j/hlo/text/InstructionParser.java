package org.hlo4j.hlo.text;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;

/**
 * Reads the instructions of one computation: {@code name = shape opcode(operands), attributes}.
 *
 * <p>There is no code for single ops here: {@link Opcodes} finds the record of an opcode, {@link
 * OpReader} fills it from the attributes and the shape. Only what stands between the brackets of a
 * parameter and a constant is special.
 */
final class InstructionParser {
  private static final int MOST_NESTED = 100;
  private static final String PREDECESSORS = "control-predecessors";

  private final Lexer text;
  private final Scope<HloComputation> computations;
  private final Scope<HloInstruction> instructions;
  private final UniqueNames names;
  private final boolean unknownAreParameters;
  private int parameters;
  private int depth;

  /**
   * A reader of the instructions of a computation.
   *
   * @param computations those that may be called
   * @param instructions those read so far; new ones are added
   * @param names the names of all instructions of the module
   * @param unknownAreParameters whether operands that are defined nowhere become parameters, as in
   *     the text of a single instruction
   */
  InstructionParser(
      Lexer text,
      Scope<HloComputation> computations,
      Scope<HloInstruction> instructions,
      UniqueNames names,
      boolean unknownAreParameters) {
    this.text = text;
    this.computations = computations;
    this.instructions = instructions;
    this.names = names;
    this.unknownAreParameters = unknownAreParameters;
  }

  /** Reads and defines what is behind {@code name =}. */
  HloInstruction instruction(String name) {
    Optional<Shape> declared = shapeIfNext();
    int at = text.skipBlanks();
    return instruction(name, declared, at, () -> AttributeReader.read(text, at));
  }

  private HloInstruction instruction(
      String name, Optional<Shape> declared, int at, Supplier<AttributeReader> behind) {
    String opcode = opcode();
    text.expect("(", "( and the operands of " + opcode);
    Optional<Op> payload = payload(opcode, declared, at);
    ImmutableList<HloInstruction> operands = payload.isPresent() ? ImmutableList.of() : operands();
    text.expect(")", payload.isPresent() ? ")" : ", or )");
    AttributeReader attributes = behind.get();
    Optional<String> predecessors = attributes.take(PREDECESSORS, this::predecessors);
    OpReader reader = new OpReader(opcode, at, declared, operands, attributes, computations);
    OpReader.Result read = payload.map(reader::of).orElseGet(reader::read);
    Metadata metadata = attributes.metadata();
    HloInstruction instruction =
        HloInstruction.create(
            names.unique(name),
            read.op(),
            operands,
            read.called(),
            read.shape(),
            metadata,
            rest(attributes, opcode, predecessors));
    instructions.define(name, instruction);
    return instruction;
  }

  private static ImmutableMap<String, String> rest(
      AttributeReader attributes, String opcode, Optional<String> predecessors) {
    ImmutableMap.Builder<String, String> rest = ImmutableMap.builder();
    predecessors.ifPresent(text -> rest.put(PREDECESSORS, text));
    return rest.putAll(attributes.rest(opcode)).buildOrThrow();
  }

  private String opcode() {
    int at = text.skipBlanks();
    String opcode = text.word();
    if (opcode.isEmpty()) {
      throw text.wanted("a shape and an opcode");
    }
    if (!Opcodes.contains(opcode)) {
      String nearest = Nearest.to(opcode, Opcodes.all());
      throw new ParseException(at, "got the unknown opcode " + opcode, nearest);
    }
    return opcode;
  }

  private Optional<Shape> shapeIfNext() {
    return ShapeParser.isNext(text) ? Optional.of(new ShapeParser(text).shape()) : Optional.empty();
  }

  // What stands in the brackets.

  /** A parameter's number, a constant's literal. */
  private Optional<Op> payload(String opcode, Optional<Shape> declared, int at) {
    return switch (opcode) {
      case "parameter" -> Optional.of(parameter(required(declared, opcode, at)));
      case "constant" -> Optional.of(constant(required(declared, opcode, at)));
      default -> Optional.empty();
    };
  }

  private static Shape required(Optional<Shape> declared, String opcode, int at) {
    return declared.orElseThrow(
        () -> new ParseException(at, "got " + opcode + " without a shape, want one before it"));
  }

  private Parameter parameter(Shape shape) {
    int at = text.skipBlanks();
    int number = text.smallInteger("the number of the parameter");
    return ShapeParser.checked(at, () -> new Parameter(number, shape.withoutLayout()));
  }

  private Constant constant(Shape shape) {
    return new Constant(new LiteralParser(text).literal(shape.withoutLayout()));
  }

  private ImmutableList<HloInstruction> operands() {
    if (text.peek() == ')') {
      return ImmutableList.of();
    }
    ImmutableList.Builder<HloInstruction> operands = ImmutableList.builder();
    do {
      operands.add(operand());
    } while (text.accept(","));
    return operands.build();
  }

  private HloInstruction operand() {
    Optional<Shape> declared = shapeIfNext();
    int at = text.skipBlanks();
    boolean percent = text.here() == '%';
    boolean unnamed = text.here() == ',' || text.here() == ')';
    if (unnamed && unknownAreParameters && declared.isPresent()) {
      return newParameter(instructions.unique("p" + parameters), declared.get());
    }
    String name = text.name("an operand");
    if (!percent && text.here() == '(') {
      text.moveTo(at);
      return nested(declared, at);
    }
    if (unknownAreParameters && declared.isPresent() && !instructions.contains(name)) {
      return newParameter(name, declared.get());
    }
    HloInstruction operand = instructions.get(name, at);
    if (declared.isPresent() && !declared.get().compatible(operand.shape())) {
      throw new ParseException(
          at, "got " + declared.get() + " for " + name + ", want " + operand.shape());
    }
    return operand;
  }

  private HloInstruction newParameter(String name, Shape shape) {
    Parameter parameter = new Parameter(parameters, shape.withoutLayout());
    parameters++;
    HloInstruction instruction =
        HloInstruction.create(
            names.unique(name),
            parameter,
            ImmutableList.of(),
            ImmutableList.of(),
            shape,
            Metadata.NONE);
    instructions.define(name, instruction);
    return instruction;
  }

  /** An operand that is written where it is used; it has no attributes. */
  private HloInstruction nested(Optional<Shape> declared, int at) {
    if (depth == MOST_NESTED) {
      throw new ParseException(
          at, "got operands nested more than " + MOST_NESTED + " deep, want fewer");
    }
    String name = instructions.unique(text.peekWord() + ".anon");
    depth++;
    HloInstruction operand = instruction(name, declared, at, () -> AttributeReader.none(text, at));
    depth--;
    return operand;
  }

  /** The instructions that come first, by the names they have got. */
  private String predecessors(Lexer value) {
    List<String> predecessors = new ArrayList<>();
    value.expect("{", "{");
    while (!value.accept("}")) {
      int at = value.skipBlanks();
      String name = value.name("the name of an earlier instruction");
      predecessors.add("%" + instructions.get(name, at).name());
      value.accept(",");
    }
    return predecessors.stream().collect(joining(", ", "{", "}"));
  }
}
