package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
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
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * A computation under construction. Steps choose their operands among the instructions so far, so
 * values have several uses or none.
 */
final class Block {
  /** How many computations are in each other at most. */
  private static final int MAX_DEPTH = 3;

  /** How often a computation runs at most that calls others with ops of all kinds. */
  private static final long MAX_TIMES = 1_000;

  final ProgramDraft draft;
  final Place place;

  /** How often it runs, at most. */
  final long times;

  /** The literals for the parameters of the entry, in order. */
  final List<Literal> arguments = new ArrayList<>();

  private final int depth;
  private final List<HloInstruction> instructions = new ArrayList<>();

  /** How many values are being computed for each other. */
  int values;

  private Block(ProgramDraft draft, Place place, long times, int depth) {
    this.draft = draft;
    this.place = place;
    this.times = times;
    this.depth = depth;
  }

  /** Returns an empty entry computation, which creates parameters as needed. */
  static Block entry(ProgramDraft draft) {
    return new Block(draft, Place.ENTRY, 1, 0);
  }

  /** Returns a computation with these parameters that instructions of this one can call. */
  Block inner(List<? extends Shape> parameters) {
    return inner(new Place("call", 0), parameters, 1);
  }

  /**
   * Returns a computation with these parameters that instructions of this one can call.
   *
   * @param where the place in which it is called
   * @param parameters the shapes of its parameters
   * @param count how often it runs when this one runs once, at most
   */
  Block inner(Place where, List<? extends Shape> parameters, long count) {
    require(depth <= MAX_DEPTH, "", "too deep");
    Block inner = new Block(draft, where, times * Math.max(1, count), depth + 1);
    for (int i = 0; i < parameters.size(); i++) {
      inner.add(new Parameter(i, parameters.get(i).withoutLayout()));
    }
    return inner;
  }

  boolean isEntry() {
    return place.equals(Place.ENTRY);
  }

  /** Returns whether a computation may call others that run as programs of their own. */
  boolean mayNest() {
    return depth < MAX_DEPTH && times <= MAX_TIMES && !draft.isFull();
  }

  Choices choices() {
    return draft.choices;
  }

  List<HloInstruction> instructions() {
    return ImmutableList.copyOf(instructions);
  }

  /** Returns the instructions that no other one uses. */
  List<HloInstruction> ends() {
    Set<HloInstruction> used = new HashSet<>();
    instructions.forEach(each -> used.addAll(each.operands()));
    return instructions.stream().filter(each -> !used.contains(each)).toList();
  }

  HloComputation close(HloInstruction root) {
    return HloComputation.create("c" + draft.nextName(), instructions, root);
  }

  /** Appends an instruction, if its operands suit. */
  HloInstruction add(Op op, HloInstruction... operands) {
    return add(op, List.of(operands), List.of());
  }

  /** Appends an instruction, if its operands suit and it is not too expensive. */
  HloInstruction add(Op op, List<HloInstruction> operands, List<HloComputation> called) {
    Shape shape = op.infer(HloInstruction.inputs(operands, called));
    choices().restrictions().require(op, shape);
    boolean isOrdered =
        draft.hasPredecessors
            && !place.isOf("fusion")
            && !instructions.isEmpty()
            && choices().chance(6);
    HloInstruction instruction =
        HloInstruction.create(
            op.opcode() + "." + draft.nextName(),
            op,
            operands,
            called,
            op instanceof Bitcast ? shape : draft.laidOut(shape),
            Metadata.NONE,
            isOrdered
                ? ImmutableMap.of(
                    "control-predecessors", "{" + choices().oneOf(instructions).name() + "}")
                : ImmutableMap.of());
    require(draft.cost.of(instruction).flops() * times <= draft.maxCost, "", "too expensive");
    instructions.add(instruction);
    return instruction;
  }

  HloInstruction tuple(List<HloInstruction> parts) {
    return add(new Tuple(), parts, List.of());
  }

  /**
   * Takes a step, and again while its choices are refused. What a refused one added is removed.
   *
   * @param count the maximum number of attempts
   * @return whether one was not refused
   */
  boolean attempt(int count, Step step) {
    int before = instructions.size();
    int given = arguments.size();
    for (int i = 0; i < count; i++) {
      try {
        step.take(this, choices());
        return true;
      } catch (HloException unsuitable) {
        instructions.subList(before, instructions.size()).clear();
        arguments.subList(given, arguments.size()).clear();
      }
    }
    return false;
  }

  // Operands.

  /** Returns an existing array whose shape matches, preferably a recent one, or a new one. */
  HloInstruction any(Predicate<ElementType> types, Predicate<Shape.Array> suits) {
    List<HloInstruction> found =
        Sources.arrays(this, shape -> types.test(shape.elementType()) && suits.test(shape));
    if (draft.isChain && !found.isEmpty() && found.getLast() == instructions.getLast()) {
      return found.getLast();
    } else if (!found.isEmpty() && !choices().chance(4)) {
      return choices().late(found);
    }
    for (int attempt = 0; attempt < 60; attempt++) {
      Shape.Array shape = Sources.shape(this, choices().type(types), choices().rank());
      if (suits.test(shape)) {
        return Sources.value(this, shape);
      }
    }
    throw new HloException("", "nothing suits");
  }

  /** Returns a new parameter of the entry with this argument. */
  HloInstruction parameter(Literal argument) {
    HloInstruction parameter = add(new Parameter(arguments.size(), argument.shape()));
    arguments.add(argument);
    return parameter;
  }

  /** Returns a scalar broadcast to a shape. */
  HloInstruction constant(Literal scalar, Shape.Array shape) {
    HloInstruction constant = scalar(scalar);
    return shape.isScalar() ? constant : add(new Broadcast(shape, Dims.of()), constant);
  }

  HloInstruction scalar(Literal value) {
    return add(new Constant(value));
  }
}
