package org.hlo4j.interpreter.compiled.moves;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Tuple;

/**
 * A computation on scalars as a list of steps over slots, each a {@link Carrier}; slots of the
 * parameters come first. For bodies of folds and comparators that have no loop of their own.
 */
final class ScalarProgram {
  private final List<Step> steps = new ArrayList<>();
  private final Map<HloInstruction, Integer> slots = new HashMap<>();
  private final Map<Integer, Long> constants = new HashMap<>();
  private final int[] results;
  private boolean complete = true;

  private ScalarProgram(
      List<HloInstruction> parameters, List<HloInstruction> instructions, HloInstruction root) {
    parameters.forEach(this::newSlot);
    for (HloInstruction instruction : instructions) {
      if (complete && !(instruction.op() instanceof Parameter) && instruction != root) {
        add(instruction);
      }
    }
    boolean tuple = root.op() instanceof Tuple;
    if (complete && !tuple && !(root.op() instanceof Parameter)) {
      add(root);
    }
    List<HloInstruction> roots = tuple ? root.operands() : ImmutableList.of(root);
    this.results = complete ? roots.stream().mapToInt(slots::get).toArray() : new int[0];
  }

  /** The program of a computation; none if a step of it is not known here, or not on scalars. */
  static Optional<ScalarProgram> of(HloComputation body) {
    return Optional.of(body)
        .filter(given -> given.parameters().stream().allMatch(part -> isScalar(part.shape())))
        .map(given -> new ScalarProgram(given.parameters(), given.instructions(), given.root()))
        .filter(program -> program.complete);
  }

  /** The program of a part of a computation that depends on one parameter only. */
  static Optional<ScalarProgram> of(
      HloInstruction parameter, List<HloInstruction> instructions, HloInstruction root) {
    return Optional.of(parameter)
        .filter(given -> isScalar(given.shape()))
        .map(given -> new ScalarProgram(ImmutableList.of(given), instructions, root))
        .filter(program -> program.complete);
  }

  private static boolean isScalar(Shape shape) {
    return shape instanceof Shape.Array array
        && array.isScalar()
        && !array.elementType().isComplex();
  }

  private int newSlot(HloInstruction instruction) {
    int slot = slots.size();
    slots.put(instruction, slot);
    return slot;
  }

  /** New slots for one run, parameters still to be set. */
  long[] newSlots() {
    long[] values = new long[slots.size()];
    constants.forEach((slot, value) -> values[slot] = value);
    return values;
  }

  void run(long[] values) {
    for (int i = 0; i < steps.size(); i++) {
      steps.get(i).run(values);
    }
  }

  /** The slot of a result. */
  int result(int i) {
    return results[i];
  }

  private void add(HloInstruction instruction) {
    List<HloInstruction> operands = instruction.operands();
    complete = isScalar(instruction.shape()) && operands.stream().allMatch(slots::containsKey);
    if (!complete) {
      return;
    }
    int[] in = operands.stream().mapToInt(slots::get).toArray();
    int to = newSlot(instruction);
    ElementType type = typeOf(operands.isEmpty() ? instruction : operands.get(0));
    Optional<Step> step =
        switch (instruction.op()) {
          case Constant op -> {
            constants.put(to, Carrier.read(type, op.literal().unsafeStorage(), 0));
            yield Optional.of(values -> {});
          }
          case Compare op -> Optional.of(compare(op, type, in[0], in[1], to));
          case Select op ->
              Optional.of(
                  values -> values[to] = values[in[0]] != 0 ? values[in[1]] : values[in[2]]);
          case Elementwise op -> ScalarStep.of(op.kind(), type, in[0], in[in.length - 1], to);
          case Op other -> Optional.empty();
        };
    complete = step.isPresent();
    step.ifPresent(steps::add);
  }

  private static ElementType typeOf(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }

  private static Step compare(Compare op, ElementType type, int a, int b, int to) {
    Relation relation = new Relation(op.direction(), op.typeFor(type));
    return values -> values[to] = relation.holds(values[a], values[b]) ? 1 : 0;
  }

  /** What is done to the slots. */
  interface Step {
    void run(long[] values);
  }
}
