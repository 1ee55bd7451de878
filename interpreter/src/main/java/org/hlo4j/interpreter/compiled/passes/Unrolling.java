package org.hlo4j.interpreter.compiled.passes;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * Writes the body of a loop as often as it is run, if that is a few times and known: a part of the
 * state begins as a constant, grows by a constant in each iteration, and is compared with a
 * constant. What an iteration reads is then known to the passes, and the iterations can be fused.
 */
final class Unrolling extends RewritingPass {
  private static final int MAX_ITERATIONS = 8;
  private static final int MAX_INSTRUCTIONS = 1000;
  private static final int MAX_IN_ALL = 5000;

  @Override
  Work begin(HloModule module, Session session) {
    Effects effects = new Effects(module);
    int[] left = {MAX_IN_ALL};
    return (computation, rewriter) -> {
      for (HloInstruction instruction : computation.instructions()) {
        rewriter.replace(
            instruction,
            instruction.op() instanceof While && !effects.isEffect(instruction)
                ? iterations(instruction, rewriter, left)
                : rewriter.updated(instruction));
      }
      return rewriter.finish(computation);
    };
  }

  private static HloInstruction iterations(HloInstruction loop, Rewriter rewriter, int[] left) {
    HloComputation condition = rewriter.current(loop.called().get(0));
    HloComputation body = rewriter.current(loop.called().get(1));
    HloInstruction state = rewriter.current(loop.operands().get(0));
    OptionalInt iterations = countOfIterations(condition, body, state);
    int size = iterations.orElse(0) * body.instructions().size();
    boolean pays =
        iterations.isPresent()
            && size <= Math.min(left[0], MAX_INSTRUCTIONS)
            && body.instructions().stream().noneMatch(Effects::isDynamic);
    if (!pays) {
      return rewriter.updated(loop);
    }
    left[0] -= size;
    rewriter.session().count("while unrolled");
    for (int iteration = 0; iteration < iterations.getAsInt(); iteration++) {
      state = Inlining.inline(body, List.of(state), rewriter);
    }
    return state;
  }

  /** How often the body is run, if that is known and not more than a few times. */
  private static OptionalInt countOfIterations(
      HloComputation condition, HloComputation body, HloInstruction state) {
    if (!(condition.root().op() instanceof Compare compare)) {
      return OptionalInt.empty();
    }
    HloInstruction left = condition.root().operands().get(0);
    HloInstruction right = condition.root().operands().get(1);
    OptionalInt counter = element(left);
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
    for (int iterations = 0; iterations <= MAX_ITERATIONS; iterations++) {
      if (!holds(compare.direction(), Long.compare(value, limit.get()))) {
        return OptionalInt.of(iterations);
      }
      value = type.wrap(value + step.get());
    }
    return OptionalInt.empty();
  }

  private static boolean holds(Compare.Direction direction, int order) {
    return switch (direction) {
      case EQ -> order == 0;
      case NE -> order != 0;
      case GE -> order >= 0;
      case GT -> order > 0;
      case LE -> order <= 0;
      case LT -> order < 0;
    };
  }

  /** Which part of the state an instruction is, if it is one. */
  private static OptionalInt element(HloInstruction instruction) {
    return instruction.op() instanceof GetTupleElement element
            && instruction.operands().get(0).op() instanceof Parameter
        ? OptionalInt.of(element.index())
        : OptionalInt.empty();
  }

  /** Signed, or narrow enough that its values are ordered as a long's. */
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

  /** By how much a part of the state grows. */
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
    return element(first).equals(OptionalInt.of(counter))
        ? integer(second)
        : element(second).equals(OptionalInt.of(counter)) ? integer(first) : Optional.empty();
  }
}
