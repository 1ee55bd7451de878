package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.arguments.Arguments.requireNoNulls;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.op.Parameter;

/**
 * A computation: a list of instructions, each after its operands, with one as the root. Compared by
 * identity.
 */
public final class HloComputation {
  private final String name;
  private final ImmutableList<HloInstruction> instructions;
  private final HloInstruction root;
  private final ImmutableList<HloInstruction> parameters;
  private final ProgramShape programShape;
  private final String executionThread;
  private final UnknownFields unknownFields;
  private final Optional<SourcePosition> position;

  private HloComputation(
      String name,
      ImmutableList<HloInstruction> instructions,
      HloInstruction root,
      String executionThread,
      UnknownFields unknownFields,
      Optional<SourcePosition> position) {
    this.name = requireNonNull(name, "name");
    this.executionThread = executionThread;
    this.unknownFields = unknownFields;
    this.position = position;
    this.instructions = instructions;
    this.root = requireNonNull(root, "root");
    this.parameters =
        instructions.stream()
            .filter(instruction -> instruction.op() instanceof Parameter)
            .sorted((a, b) -> Integer.compare(parameterNumber(a), parameterNumber(b)))
            .collect(toImmutableList());
    ImmutableList<Shape> shapes =
        parameters.stream().map(HloInstruction::shape).collect(toImmutableList());
    this.programShape = new ProgramShape(shapes, root.shape());
  }

  private static int parameterNumber(HloInstruction parameter) {
    return ((Parameter) parameter.op()).number();
  }

  /**
   * Returns an unverified computation.
   *
   * @param name its name, unique in its module
   * @param instructions its instructions, each after its operands
   * @param root the one whose value is the result
   * @return the computation
   */
  public static HloComputation create(
      String name, List<HloInstruction> instructions, HloInstruction root) {
    return create(name, instructions, root, "");
  }

  /**
   * Returns an unverified computation that belongs to an execution thread.
   *
   * @param name its name, unique in its module
   * @param instructions its instructions, each after its operands
   * @param root the one whose value is the result
   * @param executionThread the thread that XLA runs it on; empty for the main one
   * @return the computation
   */
  public static HloComputation create(
      String name, List<HloInstruction> instructions, HloInstruction root, String executionThread) {
    return new HloComputation(
        name,
        requireNoNulls(instructions, "instructions"),
        root,
        executionThread,
        UnknownFields.NONE,
        Optional.empty());
  }

  /**
   * Returns the same computation with other unknown fields.
   *
   * @param fields what a protocol buffer says of it that hlo4j does not interpret
   * @return a new computation of the same instructions
   */
  public HloComputation withUnknownFields(UnknownFields fields) {
    return new HloComputation(name, instructions, root, executionThread, fields, position);
  }

  /**
   * Returns the position of the computation in the HLO text it was read from.
   *
   * @return the position of its name; empty if it was not read from a text
   */
  public Optional<SourcePosition> position() {
    return position;
  }

  /**
   * Returns the same computation with a position in a text.
   *
   * @param place the position of its name
   * @return a new computation of the same instructions
   */
  public HloComputation withPosition(SourcePosition place) {
    requireNonNull(place, "place");
    return new HloComputation(
        name, instructions, root, executionThread, unknownFields, Optional.of(place));
  }

  /**
   * Returns the name, unique among the computations of the module.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * Returns all instructions, in an order in which they can be evaluated.
   *
   * @return the instructions
   */
  public ImmutableList<HloInstruction> instructions() {
    return instructions;
  }

  /**
   * Returns the instruction whose value is the result.
   *
   * @return the root
   */
  public HloInstruction root() {
    return root;
  }

  /**
   * Returns the parameters in order of their numbers.
   *
   * @return the parameter instructions
   */
  public ImmutableList<HloInstruction> parameters() {
    return parameters;
  }

  /**
   * Returns the signature: the shapes of the parameters and of the result.
   *
   * @return the signature
   */
  public ProgramShape programShape() {
    return programShape;
  }

  /**
   * Returns the thread that XLA runs it on. hlo4j has but one.
   *
   * @return the name of the thread; empty for the main one
   */
  public String executionThread() {
    return executionThread;
  }

  /**
   * Returns what the protocol buffer of the computation says that hlo4j does not interpret.
   *
   * @return the fields; none if the computation was not read from one
   */
  public UnknownFields unknownFields() {
    return unknownFields;
  }

  /**
   * Returns what of some instructions is needed: these, their operands, the operands of those, and
   * so on.
   *
   * @param instructions instructions, each after its operands
   * @param isRoot whether an instruction is needed by itself
   * @return the needed ones
   */
  public static ImmutableSet<HloInstruction> live(
      List<HloInstruction> instructions, Predicate<HloInstruction> isRoot) {
    Set<HloInstruction> live = new HashSet<>();
    for (HloInstruction each : instructions.reversed()) {
      if (live.contains(each) || isRoot.test(each)) {
        live.add(each);
        live.addAll(each.operands());
      }
    }
    return ImmutableSet.copyOf(live);
  }

  /** Returns the name and the signature. */
  @Override
  public String toString() {
    return "%" + name + " " + programShape;
  }
}
