package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;

/**
 * A computation under construction. Steps choose their operands among the instructions so far, so
 * values have several uses or none.
 */
final class Block {
  private final Draft draft;
  private final Choices choices;
  private final Place place;
  private final long times;
  private final int depth;
  private final List<HloInstruction> instructions = new ArrayList<>();
  private boolean isFollowing;

  private Block(Draft draft, Place place, long times, int depth) {
    this.draft = draft;
    this.choices = draft.choices();
    this.place = place;
    this.times = times;
    this.depth = depth;
  }

  /** Returns an empty entry computation, which creates parameters as needed. */
  static Block entry(Choices choices) {
    return entry(new Draft(choices));
  }

  /** Returns an empty entry computation, which creates parameters as needed. */
  static Block entry(Draft draft) {
    return new Block(draft, Place.ENTRY, 1, 0);
  }

  /** Returns a computation with these parameters that instructions of this one can call. */
  Block inner(List<? extends Shape> parameters) {
    return inner(Place.CALLED, parameters, 1);
  }

  /**
   * Returns a computation with these parameters that instructions of this one can call.
   *
   * @param where the place in which it is called
   * @param parameters the shapes of its parameters
   * @param count how often it runs when this one runs once, at most
   */
  Block inner(Place where, List<? extends Shape> parameters, long count) {
    Block inner = new Block(draft, where, times * Math.max(1, count), depth + 1);
    for (int i = 0; i < parameters.size(); i++) {
      inner.add(new Parameter(i, parameters.get(i).withoutLayout()));
    }
    return inner;
  }

  boolean isEntry() {
    return place == Place.ENTRY;
  }

  Draft draft() {
    return draft;
  }

  Place place() {
    return place;
  }

  /** Returns how often the computation runs, at most. */
  long times() {
    return times;
  }

  /** Returns in how many other computations this one is. */
  int depth() {
    return depth;
  }

  Choices choices() {
    return choices;
  }

  /** Returns the literals for the parameters, in order. */
  List<Literal> arguments() {
    return draft.arguments();
  }

  /** Returns the values of infeed, in order. */
  List<Literal> infeed() {
    return draft.infeed();
  }

  HloInstruction instruction(int i) {
    return instructions.get(i);
  }

  HloInstruction last() {
    return instructions.get(instructions.size() - 1);
  }

  HloComputation close(HloInstruction root) {
    return HloComputation.create("c" + draft.nextName(), instructions, root);
  }

  /**
   * Finishes the computation without dead instructions. Refuses if a parameter is dead, since a
   * fusion must use all its parameters.
   */
  HloComputation closeTight(HloInstruction root) {
    Set<HloInstruction> needed = new HashSet<>(List.of(root));
    for (HloInstruction instruction : Lists.reverse(instructions)) {
      if (needed.contains(instruction)) {
        needed.addAll(instruction.operands());
      } else {
        require(!(instruction.op() instanceof Parameter), "", "a parameter has no use");
      }
    }
    return HloComputation.create(
        "c" + draft.nextName(), instructions.stream().filter(needed::contains).toList(), root);
  }

  /** Appends an instruction, if its operands suit. */
  HloInstruction add(Op op, HloInstruction... operands) {
    return add(op, List.of(operands), List.of());
  }

  /** Appends an instruction, if its operands suit. */
  HloInstruction add(Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    choices.restrictions().require(op, shape);
    HloInstruction instruction =
        HloInstruction.create(
            op.opcode() + "." + draft.nextName(),
            op,
            operands,
            called,
            op instanceof Bitcast ? shape : draft.laidOut(shape),
            Metadata.NONE,
            predecessors());
    instructions.add(instruction);
    return instruction;
  }

  private ImmutableMap<String, String> predecessors() {
    boolean mayHave = draft.hasPredecessors() && place != Place.FUSED && !instructions.isEmpty();
    return mayHave && choices.chance(6)
        ? ImmutableMap.of("control-predecessors", "{" + choices.oneOf(instructions).name() + "}")
        : ImmutableMap.of();
  }

  /** Takes a step, of which nothing stays if it does not apply here. Returns whether it does. */
  boolean attempt(Step step) {
    int before = instructions.size();
    int given = arguments().size();
    int fed = infeed().size();
    try {
      step.take(this, choices);
      return true;
    } catch (HloException unsuitable) {
      instructions.subList(before, instructions.size()).clear();
      arguments().subList(given, arguments().size()).clear();
      infeed().subList(fed, infeed().size()).clear();
      return false;
    }
  }

  // Operands.

  /** Returns an existing array whose shape matches, preferably a recent one, or a new one. */
  HloInstruction any(Predicate<Shape.Array> suits) {
    List<HloInstruction> found =
        Sources.values(
            this,
            shape -> shape instanceof Shape.Array array && !array.isDynamic() && suits.test(array));
    if (isFollowing && found.contains(last())) {
      return last();
    }
    if (!found.isEmpty() && !choices.chance(6)) {
      int late = Math.max(choices.below(found.size()), choices.below(found.size()));
      return found.get(late);
    }
    for (int attempt = 0; attempt < 30; attempt++) {
      Shape.Array shape = choices.shape();
      if (suits.test(shape)) {
        return fresh(shape);
      }
    }
    throw new HloException("", "nothing suits");
  }

  /** Takes a step that uses the last instruction, if it suits. */
  void follow(Step step) {
    isFollowing = true;
    try {
      step.take(this, choices);
    } finally {
      isFollowing = false;
    }
  }

  /** Returns whether a step is to use the last instruction. */
  boolean isFollowing() {
    return isFollowing;
  }

  HloInstruction any() {
    return any(shape -> true);
  }

  /** Returns an array of a shape: an existing one or a new one. */
  HloInstruction like(Shape.Array shape) {
    return Sources.value(this, shape, 0);
  }

  HloInstruction like(ElementType type, Dims sizes) {
    return like(Shape.of(type, sizes));
  }

  /** Returns a new array: a parameter of the entry, a constant, a broadcast scalar, or an iota. */
  HloInstruction fresh(Shape.Array shape) {
    return Sources.leaf(this, shape);
  }

  /** Returns a new parameter of the entry. */
  HloInstruction parameter(Shape.Array shape) {
    return parameter(choices.literal(shape));
  }

  /** Returns a new parameter of the entry with this argument. */
  HloInstruction parameter(Literal argument) {
    HloInstruction parameter = add(new Parameter(arguments().size(), argument.shape()));
    arguments().add(argument);
    return parameter;
  }

  /** Appends an infeed of a new array to the entry, after a token. */
  HloInstruction infeed(Shape.Array shape, HloInstruction token) {
    HloInstruction both = add(new Infeed(shape, ""), token);
    infeed().add(choices.literal(shape));
    return both;
  }

  /** Returns a scalar broadcast to a shape. */
  HloInstruction constant(Literal scalar, Shape.Array shape) {
    HloInstruction constant = add(new Constant(scalar));
    return shape.isScalar() ? constant : add(new Broadcast(shape, Dims.of()), constant);
  }

  HloInstruction scalar(Literal value) {
    return add(new Constant(value));
  }

  ImmutableList<HloInstruction> instructions() {
    return ImmutableList.copyOf(instructions);
  }
}
