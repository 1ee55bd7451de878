package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.base.CharMatcher;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.Parameter;
import org.jspecify.annotations.Nullable;

/**
 * A node of the graph: an op applied to operands.
 *
 * <p>Instructions are compared by identity: two with the same op and operands are different nodes.
 * The constructor refuses only null; the builder checks as it goes, {@link Verifier} checks a whole
 * module.
 */
public final class HloInstruction {
  private static final String CONTROL_PREDECESSORS = "control-predecessors";
  private static final int MAX_ELEMENTS_IN_A_LINE = 8;

  private static final Splitter NAMES =
      Splitter.on(',').trimResults(CharMatcher.anyOf(" %\t\r\n")).omitEmptyStrings();

  private final String name;
  private final Op op;
  private final ImmutableList<HloInstruction> operands;
  private final ImmutableList<HloComputation> called;
  private final Shape shape;
  private final Metadata metadata;
  private final ImmutableMap<String, String> attributes;
  private final Optional<Sharding> sharding;
  private final Origin origin;

  /**
   * What it was read from.
   *
   * @param name its name in the text; null if that is its name, or there is no text
   */
  private record Origin(
      UnknownFields unknownFields, Optional<SourcePosition> position, @Nullable String name) {
    static final Origin NONE = new Origin(UnknownFields.NONE, Optional.empty(), null);
  }

  private HloInstruction(
      String name,
      Op op,
      ImmutableList<HloInstruction> operands,
      ImmutableList<HloComputation> called,
      Shape shape,
      Metadata metadata,
      ImmutableMap<String, String> attributes,
      Optional<Sharding> sharding,
      Origin origin) {
    this.name = requireNonNull(name, "name");
    this.op = requireNonNull(op, "op");
    this.operands = operands;
    this.called = called;
    this.shape = requireNonNull(shape, "shape");
    this.metadata = requireNonNull(metadata, "metadata");
    this.attributes = attributes;
    this.sharding = requireNonNull(sharding, "sharding");
    this.origin = origin;
  }

  /**
   * Returns an unverified instruction with a declared shape.
   *
   * @param name its name, unique in its module
   * @param op the op
   * @param operands the operands, earlier instructions of the same computation
   * @param called the computations the op calls, in the order of {@link Op#callees}
   * @param shape the shape of the result, with layout if one matters
   * @param metadata where it comes from
   * @return the instruction
   */
  public static HloInstruction create(
      String name,
      Op op,
      List<HloInstruction> operands,
      List<HloComputation> called,
      Shape shape,
      Metadata metadata) {
    return create(name, op, operands, called, shape, metadata, ImmutableMap.of());
  }

  /**
   * Returns an unverified instruction with a declared shape and the attributes that are not part of
   * its op.
   *
   * @param name its name, unique in its module
   * @param op the op
   * @param operands the operands, earlier instructions of the same computation
   * @param called the computations the op calls, in the order of {@link Op#callees}
   * @param shape the shape of the result, with layout if one matters
   * @param metadata where it comes from
   * @param attributes what no op interprets, such as frontend_attributes, by name, as text; but for
   *     the sharding
   * @return the instruction
   */
  public static HloInstruction create(
      String name,
      Op op,
      List<HloInstruction> operands,
      List<HloComputation> called,
      Shape shape,
      Metadata metadata,
      Map<String, String> attributes) {
    return new HloInstruction(
        name,
        op,
        requireNoNulls(operands, "operands"),
        requireNoNulls(called, "called"),
        shape,
        metadata,
        requireNoNulls(attributes, "attributes"),
        Optional.empty(),
        Origin.NONE);
  }

  /**
   * Returns an instruction without called computations, with an inferred shape.
   *
   * @param name its name, unique in its module
   * @param op the op
   * @param operands the operands, earlier instructions of the same computation
   * @return the instruction
   * @throws HloException if the operands do not suit the op
   */
  public static HloInstruction of(String name, Op op, HloInstruction... operands) {
    ImmutableList<HloInstruction> list = requireNoNulls(operands, "operands");
    Shape shape = op.infer(inputs(list, ImmutableList.of()));
    return create(name, op, list, ImmutableList.of(), shape, Metadata.NONE);
  }

  /**
   * Returns the inputs of a shape rule: operand shapes and signatures of called computations.
   *
   * @param operands the operands
   * @param called the computations called
   * @return their shapes and signatures
   */
  public static Operands inputs(List<HloInstruction> operands, List<HloComputation> called) {
    return new Operands(
        requireNoNulls(operands, "operands").stream()
            .map(HloInstruction::shape)
            .collect(toImmutableList()),
        requireNoNulls(called, "called").stream()
            .map(HloComputation::programShape)
            .collect(toImmutableList()));
  }

  /**
   * Returns the name, unique in the module.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns the op with its attributes.
   *
   * @return the op
   */
  public Op op() {
    return op;
  }

  /**
   * Returns the operands.
   *
   * @return the operands in order
   */
  public ImmutableList<HloInstruction> operands() {
    return operands;
  }

  /**
   * Returns the computations the op calls.
   *
   * @return the computations, in the order of {@link Op#callees}
   */
  public ImmutableList<HloComputation> called() {
    return called;
  }

  /**
   * Returns the shape of the result, as declared.
   *
   * @return the shape
   */
  public Shape shape() {
    return shape;
  }

  /**
   * Returns the shape of the result, which is an array.
   *
   * @return the shape, as declared
   * @throws HloException if the result is a tuple or a token
   */
  public Shape.Array arrayShape() {
    if (shape instanceof Shape.Array array) {
      return array;
    }
    throw new HloException("", name + ": got " + shape + ", want an array");
  }

  /**
   * Returns where the instruction comes from.
   *
   * @return the metadata
   */
  public Metadata metadata() {
    return metadata;
  }

  /**
   * Returns the attributes in HLO text that no op interprets, such as frontend_attributes,
   * control-predecessors and backend_config, except the {@link #sharding}.
   *
   * @return the attributes by name, each as it is written after the equals sign
   */
  public ImmutableMap<String, String> attributes() {
    return attributes;
  }

  /**
   * Returns the names of the instructions that have to run before this one, although it does not
   * use their values.
   *
   * @return the names in the attribute {@code control-predecessors}
   */
  public ImmutableList<String> controlPredecessors() {
    String text = attributes.getOrDefault(CONTROL_PREDECESSORS, "{}");
    return ImmutableList.copyOf(NAMES.split(CharMatcher.anyOf("{}").removeFrom(text)));
  }

  /**
   * Returns the sharding of the result.
   *
   * @return the sharding; empty if it has none
   */
  public Optional<Sharding> sharding() {
    return sharding;
  }

  /**
   * Returns the same instruction with another sharding.
   *
   * @param newSharding which device has which part of the result; empty to say nothing
   * @return a new instruction
   */
  public HloInstruction withSharding(Optional<Sharding> newSharding) {
    requireNonNull(newSharding, "newSharding");
    return new HloInstruction(
        name, op, operands, called, shape, metadata, attributes, newSharding, origin);
  }

  /**
   * Returns the same instruction under another name.
   *
   * @param newName the name
   * @return a new instruction
   */
  public HloInstruction renamed(String newName) {
    requireNonNull(newName, "newName");
    return new HloInstruction(
        newName, op, operands, called, shape, metadata, attributes, sharding, origin);
  }

  /**
   * Returns the same instruction with another op and shape.
   *
   * @param newOp the op, of the same operands
   * @param newShape the shape of its result
   * @return a new instruction
   */
  public HloInstruction withOp(Op newOp, Shape newShape) {
    requireNonNull(newOp, "newOp");
    requireNonNull(newShape, "newShape");
    return new HloInstruction(
        name, newOp, operands, called, newShape, metadata, attributes, sharding, origin);
  }

  /**
   * Returns the same instruction, ordered by its operands only.
   *
   * @return a new instruction, without control predecessors
   */
  public HloInstruction withoutControlPredecessors() {
    return withoutAttribute(CONTROL_PREDECESSORS);
  }

  /**
   * Returns the same instruction without an attribute that no op interprets.
   *
   * @param attribute its name
   * @return a new instruction
   */
  public HloInstruction withoutAttribute(String attribute) {
    return new HloInstruction(
        name,
        op,
        operands,
        called,
        shape,
        metadata,
        ImmutableMap.copyOf(
            Maps.filterKeys(
                attributes, each -> !each.equals(requireNonNull(attribute, "attribute")))),
        sharding,
        origin);
  }

  /**
   * Returns the same instruction with another attribute that no op interprets.
   *
   * @param attribute its name
   * @param text as it is written after the equals sign
   * @return a new instruction
   */
  public HloInstruction withAttribute(String attribute, String text) {
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    all.putAll(attributes);
    all.put(requireNonNull(attribute, "attribute"), requireNonNull(text, "text"));
    return new HloInstruction(
        name, op, operands, called, shape, metadata, all.buildKeepingLast(), sharding, origin);
  }

  /**
   * Returns the same instruction with other operands.
   *
   * @param newOperands as many operands, of the same shapes
   * @return a new instruction
   */
  public HloInstruction withOperands(List<HloInstruction> newOperands) {
    return with(requireNoNulls(newOperands, "newOperands"), called);
  }

  /**
   * Returns the same instruction with other called computations.
   *
   * @param newCalled as many computations, of the same shapes
   * @return a new instruction
   */
  public HloInstruction withCalled(List<HloComputation> newCalled) {
    return with(operands, requireNoNulls(newCalled, "newCalled"));
  }

  private HloInstruction with(
      ImmutableList<HloInstruction> newOperands, ImmutableList<HloComputation> newCalled) {
    return new HloInstruction(
        name, op, newOperands, newCalled, shape, metadata, attributes, sharding, origin);
  }

  /**
   * Returns what the protocol buffer of the instruction says that hlo4j does not interpret.
   *
   * @return the fields; none if the instruction was not read from one
   */
  public UnknownFields unknownFields() {
    return origin.unknownFields;
  }

  /**
   * Returns the same instruction with other unknown fields.
   *
   * @param fields what a protocol buffer says of it that hlo4j does not interpret
   * @return a new instruction
   */
  public HloInstruction withUnknownFields(UnknownFields fields) {
    return with(new Origin(fields, origin.position, origin.name));
  }

  /**
   * Returns the position of the instruction in the HLO text it was read from.
   *
   * @return the position of its name; empty if it was not read from a text
   */
  public Optional<SourcePosition> position() {
    return origin.position;
  }

  /**
   * Returns the same instruction with a position in a text.
   *
   * @param place the position of its name
   * @return a new instruction
   */
  public HloInstruction withPosition(SourcePosition place) {
    return withPosition(place, name);
  }

  /**
   * Returns the same instruction with a position in a text, where it may have another name: names
   * are unique in a module, and in a text only in a computation. Messages quote it.
   *
   * @param place the position of its name
   * @param nameThere its name in the text, without %
   * @return a new instruction
   */
  public HloInstruction withPosition(SourcePosition place, String nameThere) {
    requireNonNull(nameThere, "nameThere");
    requireNonNull(place, "place");
    String written = nameThere.equals(name) ? null : nameThere;
    return with(new Origin(origin.unknownFields, Optional.of(place), written));
  }

  private HloInstruction with(Origin newOrigin) {
    return new HloInstruction(
        name, op, operands, called, shape, metadata, attributes, sharding, newOrigin);
  }

  /**
   * Adds the location of this instruction to an exception: its name and line, its position in the
   * text, and the line of source it comes from.
   *
   * @param refusal what is wrong
   * @return the exception with the location
   */
  public HloException located(HloException refusal) {
    requireNonNull(refusal, "refusal");
    HloException named = refusal.withInstruction(name).with("instruction", toString());
    HloException placed = origin.position.map(named::withPosition).orElse(named);
    return metadata.source().map(line -> placed.with("at", "at " + line)).orElse(placed);
  }

  /**
   * Returns one line: name, shape, opcode, names of the operands; of a parameter its number, of a
   * constant its value unless it is long. Names are those of the text it was read from.
   */
  @Override
  public String toString() {
    return quoted() + " = " + shape + " " + op.opcode() + "(" + inParentheses() + ")";
  }

  String quoted() {
    return "%" + (origin.name == null ? name : origin.name);
  }

  private String inParentheses() {
    return switch (op) {
      case Parameter parameter -> Integer.toString(parameter.number());
      case Constant constant ->
          isShort(constant.literal()) ? constant.literal().toHloText() : "{...}";
      default -> operands.stream().map(HloInstruction::quoted).collect(Collectors.joining(", "));
    };
  }

  private static boolean isShort(Literal literal) {
    return literal.shape() instanceof Shape.Array array
        && array.elementCount() <= MAX_ELEMENTS_IN_A_LINE;
  }
}
