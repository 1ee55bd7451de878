package org.hlo4j.interpreter.compiled.passes;

import java.util.Optional;
import java.util.OptionalInt;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Tuple;

/**
 * The number of iterations of a loop, if it can be derived: an element of the state starts as a
 * constant, grows by a constant in each iteration, and is compared with a constant.
 */
public final class TripCount {
  private TripCount() {}

  /**
   * Returns how often a loop runs its body, if that is known and at most a limit.
   *
   * @param condition the loop's condition
   * @param body the loop's body
   * @param state the initial state
   * @param maxIterations the limit
   */
  public static OptionalInt of(
      HloComputation condition, HloComputation body, HloInstruction state, int maxIterations) {
    if (!(condition.root().op() instanceof Compare compare)) {
      return OptionalInt.empty();
    }
    HloInstruction left = condition.root().operands().get(0);
    HloInstruction right = condition.root().operands().get(1);
    OptionalInt counter = LoopState.element(left);
    Optional<Long> limit = integer(right);
    if (counter.isEmpty() || limit.isEmpty()) {
      return OptionalInt.empty();
    }
    Optional<Long> start = start(state, counter.getAsInt());
    Optional<Long> step = step(body, counter.getAsInt());
    if (start.isEmpty() || step.isEmpty()) {
      return OptionalInt.empty();
    }
    ElementType type = Simplification.array(left).elementType();
    long value = start.get();
    for (int iterations = 0; iterations <= maxIterations; iterations++) {
      if (!compare.direction().holds(Long.compare(value, limit.get()))) {
        return OptionalInt.of(iterations);
      }
      value = type.wrap(value + step.get());
    }
    return OptionalInt.empty();
  }

  /**
   * Returns whether a loop certainly has an iteration: its condition compares constants, or
   * elements of the initial state that are.
   */
  static boolean isPositive(HloComputation condition, HloInstruction state) {
    if (!(condition.root().op() instanceof Compare compare)) {
      return false;
    }
    Optional<Long> left = initial(condition.root().operands().get(0), state);
    Optional<Long> right = initial(condition.root().operands().get(1), state);
    return left.isPresent()
        && right.isPresent()
        && compare.direction().holds(left.get().compareTo(right.get()));
  }

  private static Optional<Long> initial(HloInstruction compared, HloInstruction state) {
    OptionalInt element = LoopState.element(compared);
    return element.isPresent() ? start(state, element.getAsInt()) : integer(compared);
  }

  /** Returns a constant integer of a type whose values are ordered like those of a long. */
  private static Optional<Long> integer(HloInstruction instruction) {
    return UniformValues.scalar(instruction)
        .filter(literal -> isCountable(literal.elementType()))
        .map(literal -> literal.longAt(0));
  }

  private static boolean isCountable(ElementType type) {
    return switch (type.kind()) {
      case SIGNED -> true;
      case UNSIGNED -> type.bits() < Long.SIZE;
      case PRED, FLOAT, COMPLEX -> false;
    };
  }

  private static Optional<Long> start(HloInstruction state, int counter) {
    return state.op() instanceof Tuple ? integer(state.operands().get(counter)) : Optional.empty();
  }

  /** Returns by how much an element of the state grows in each iteration, if that is constant. */
  private static Optional<Long> step(HloComputation body, int counter) {
    if (!(body.root().op() instanceof Tuple)) {
      return Optional.empty();
    }
    HloInstruction next = body.root().operands().get(counter);
    if (!next.op().equals(new Elementwise(Elementwise.Kind.ADD))) {
      return Optional.empty();
    }
    HloInstruction first = next.operands().get(0);
    HloInstruction second = next.operands().get(1);
    return LoopState.element(first).equals(OptionalInt.of(counter))
        ? integer(second)
        : LoopState.element(second).equals(OptionalInt.of(counter))
            ? integer(first)
            : Optional.empty();
  }
}
