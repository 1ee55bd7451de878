package org.hlo4j.hlo.text;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.ir.Sharding;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.schema.OpSchema;
import org.hlo4j.hlo.source.Nearest;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.ReadLimits;

/**
 * A parser of the instructions of one computation: {@code name = shape opcode(operands),
 * attributes}.
 *
 * <p>There is no code for individual ops here: {@link Opcodes} finds the record of an opcode, and
 * {@link OpReader} creates it from the attributes and the shape. Only the contents of the
 * parentheses of a parameter and a constant are special.
 */
final class InstructionParser {
  private static final int MAX_NESTED = 100;
  private static final ImmutableSet<String> MODED =
      ImmutableSet.of("all-reduce", "all-reduce-start", "reduce-scatter");

  private final Lexer text;
  private final Definitions definitions;
  private final Scope<HloInstruction> instructions;
  private final boolean unknownAreParameters;
  private int parameters;
  private int depth;

  /**
   * Creates a parser of the instructions of a computation.
   *
   * @param definitions the definitions in other computations
   * @param instructions the instructions read so far, to which new ones are added
   * @param unknownAreParameters whether operands that are defined nowhere become parameters, as in
   *     the text of a single instruction
   */
  InstructionParser(
      Lexer text,
      Definitions definitions,
      Scope<HloInstruction> instructions,
      boolean unknownAreParameters) {
    this.text = text;
    this.definitions = definitions;
    this.instructions = instructions;
    this.unknownAreParameters = unknownAreParameters;
  }

  /** Reads and defines the instruction after {@code name =}. */
  HloInstruction instruction(String name, SourcePosition position) {
    Optional<Shape> declared = shapeIfNext();
    int at = text.skipBlanks();
    return instruction(name, position, declared, at, () -> AttributeReader.read(text, at));
  }

  private HloInstruction instruction(
      String localName,
      SourcePosition position,
      Optional<Shape> written,
      int at,
      Supplier<AttributeReader> behind) {
    String opcode = opcode();
    Optional<Shape> declared =
        opcode.equals("constant") ? written.map(shape -> ofLiteral(shape, at)) : written;
    text.expect("(", "( and the operands of " + opcode);
    Optional<Op> payload = payload(opcode, declared, at);
    ImmutableList<HloInstruction> operands = payload.isPresent() ? ImmutableList.of() : operands();
    text.expect(")", payload.isPresent() ? ")" : ", or )");
    AttributeReader attributes = behind.get();
    Optional<String> predecessors =
        attributes.take("control-predecessors", this::controlPredecessors);
    Optional<String> frontend =
        attributes.take("frontend_attributes", KeptAttributes::frontendAttributes);
    OpReader reader = new OpReader(opcode, at, declared, operands, attributes, definitions);
    String name = definitions.unique(localName);
    Metadata metadata = attributes.metadata();
    Optional<Sharding> sharding = attributes.take("sharding", ShardingParser::sharding);
    OpReader.Result read =
        payload
            .map(reader::of)
            .or(() -> AsyncReader.read(reader, name, position, metadata))
            .orElseGet(reader::read);
    KeptAttributes.check(attributes, opcode, read.shape());
    text.limits().take(ReadLimits.INSTRUCTION);
    attributes.take("execution_thread", Lexer::value); // implied by async_execution_thread
    if (MODED.contains(opcode)) {
      attributes.take("mode", Lexer::value); // in old texts; XLA ignores it
    }
    ImmutableMap.Builder<String, String> rest = ImmutableMap.builder();
    rest.putAll(attributes.rest(opcode));
    frontend
        .filter(found -> !found.equals("{}"))
        .ifPresent(found -> rest.put("frontend_attributes", found));
    predecessors.ifPresent(names -> rest.put("control-predecessors", names));
    HloInstruction instruction =
        HloInstruction.create(
                name,
                read.op(),
                operands,
                read.called(),
                read.shape(),
                metadata,
                rest.buildOrThrow())
            .withSharding(sharding.map(each -> each.forShape(read.shape())))
            .withPosition(position, localName);
    instructions.define(localName, instruction);
    return instruction;
  }

  private String opcode() {
    int at = text.skipBlanks();
    String opcode = text.word();
    if (opcode.isEmpty()) {
      throw text.wanted("a shape and an opcode");
    }
    if (!OpSchema.contains(opcode) && AsyncShortForm.wrappedOpcode(opcode).isEmpty()) {
      String nearest = Nearest.to(opcode, OpSchema.opcodes());
      throw new ParseException(at, "got the unknown opcode " + opcode, nearest);
    }
    return opcode;
  }

  private Optional<Shape> shapeIfNext() {
    return ShapeParser.isNext(text) ? Optional.of(new ShapeParser(text).shape()) : Optional.empty();
  }

  // The contents of the parentheses.

  /** Reads the number of a parameter or the literal of a constant. */
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

  /** Returns the shape of a constant: the literal has no bounds. */
  private static Shape ofLiteral(Shape shape, int at) {
    return ShapeParser.checked(at, () -> shape.mapArrays(Shape.Array::withStaticSizes));
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
    } while (text.accept(",") && text.peek() != ')');
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
            definitions.unique(name),
            parameter,
            ImmutableList.of(),
            ImmutableList.of(),
            shape,
            Metadata.NONE);
    instructions.define(name, instruction);
    return instruction;
  }

  /** Reads an operand that is defined where it is used; it has no attributes. */
  private HloInstruction nested(Optional<Shape> declared, int at) {
    if (depth == MAX_NESTED) {
      throw new ParseException(
          at, "got operands nested more than " + MAX_NESTED + " deep, want fewer");
    }
    String name = instructions.unique(text.peekWord() + ".anon");
    depth++;
    HloInstruction operand =
        instruction(name, text.place(at), declared, at, () -> AttributeReader.none(text, at));
    depth--;
    return operand;
  }

  /** Returns control predecessors by their names in the module. */
  private String controlPredecessors(Lexer value) {
    return Codec.parseList(
            value,
            part -> {
              int at = part.skipBlanks();
              return instructions.get(part.name("the name of an earlier instruction"), at);
            })
        .stream()
        .map(predecessor -> "%" + predecessor.name())
        .collect(Collectors.joining(", ", "{", "}"));
  }
}
