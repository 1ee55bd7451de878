package org.hlo4j.interpreter.engine;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * The frame of one active call of a computation: its values so far, and the storage available for
 * the result of the current step.
 */
final class Frame {
  final Schedule schedule;
  final Literal[] arguments;
  final Literal[] values;
  private final boolean[] donated;
  private final Run run;
  private final List<Literal> results;
  private final List<Object> reusedStorage = new ArrayList<>();
  private final BitSet requested = new BitSet();
  private Literal[] operands = {};
  private int slot;

  /** The check of the step under way, if it is by a kernel and the mode is on. */
  @Nullable StepCheck check;

  /**
   * Creates the frame of a call.
   *
   * @param donated for each leaf of the arguments, whether the caller gives its storage away
   * @param result the literal whose arrays the result should be written to where possible, or null
   * @param run the run that the call is part of
   */
  Frame(
      Schedule schedule,
      Literal[] arguments,
      boolean[] donated,
      @Nullable Literal result,
      Run run) {
    this.run = run;
    this.schedule = schedule;
    this.results = result == null ? List.of() : result.arrays();
    this.arguments = arguments;
    this.values = new Literal[schedule.size()];
    this.donated = donated;
  }

  /** Begins a step and returns its operands. */
  Literal[] begin(int step) {
    slot = step;
    requested.clear();
    operands = schedule.operands(step, values);
    Kernel kernel = CheckMode.isOn() ? schedule.kernel(step) : null;
    check = kernel == null ? null : new StepCheck(schedule.instruction(step), kernel, operands);
    return operands;
  }

  /**
   * Returns the storage where the caller wants the result of this step, or null if there is none.
   */
  @Nullable Object resultStorage() {
    for (int i = 0; i < results.size(); i++) {
      if (schedule.resultProducers().length > i && schedule.resultProducers()[i] == slot) {
        return results.get(i).unsafeStorage();
      }
    }
    return null;
  }

  /**
   * Returns the buffer of the next array of this shape that the step makes, or -1 if it is no
   * temporary.
   */
  int buffer(Shape.Array shape) {
    Liveness.ArrayAllocation[] allocations = schedule.allocations(slot);
    if (allocations.length == 1) {
      return allocations[0].buffer();
    }
    for (int i = requested.nextClearBit(0);
        i < allocations.length;
        i = requested.nextClearBit(i + 1)) {
      if (allocations[i].storageShape().equals(BufferPlan.storageShape(shape))) {
        requested.set(i);
        return allocations[i].buffer();
      }
    }
    return -1;
  }

  /**
   * Returns the storage of an operand that dies at this step and that the result may overwrite, or
   * null.
   */
  @Nullable Object reuseOperandStorage(Shape.Array shape) {
    for (Liveness.Overwritable candidate : schedule.overwritable(slot)) {
      Literal operand = operands[candidate.operand()];
      if (isGivenAway(candidate.parameterLeaf(), operand)
          && LiteralBuilder.isStorage(operand.unsafeStorage(), shape)) {
        reusedStorage.add(operand.unsafeStorage());
        return operand.unsafeStorage();
      }
    }
    return null;
  }

  /**
   * Returns whether an array of the arguments, which is dead, may be written to: the caller gives
   * it away, nobody was handed it, in whatever computation that was, and this step does not write
   * to it already.
   */
  private boolean isGivenAway(int parameterLeaf, Literal array) {
    return parameterLeaf < donated.length
        && donated[parameterLeaf]
        && reusedStorage.stream().noneMatch(other -> other == array.unsafeStorage())
        && !run.isHandedOut(array.unsafeStorage());
  }

  /** Ends a step: returns the storage that is dead after it to the pool. */
  void end(BufferPool buffers) {
    for (Liveness.FreedArgument leaf : schedule.freeAfter(slot)) {
      Literal holder = values[leaf.slot()];
      Literal array =
          holder.shape() instanceof Shape.Array ? holder : holder.arrays().get(leaf.index());
      if (isGivenAway(leaf.parameterLeaf(), array)) {
        if (CheckMode.isOn()) {
          CheckMode.poison(array.unsafeStorage());
        }
        buffers.release(array.unsafeStorage(), leaf.isNeededLater());
      }
    }
    reusedStorage.clear();
  }
}
