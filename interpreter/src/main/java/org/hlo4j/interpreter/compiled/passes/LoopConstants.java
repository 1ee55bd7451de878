package org.hlo4j.interpreter.compiled.passes;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.jspecify.annotations.Nullable;

/**
 * Constant sinking into loops: an element of the state of a {@code while} that starts as a
 * constant, or as a broadcast of one, and that no iteration changes, is replaced by that constant
 * in the condition and the body, where other passes can see it. The state still carries it.
 */
final class LoopConstants extends Pass {
  @Override
  boolean mayApply(HloModule module) {
    return LoopState.hasLoops(module);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Multiset<HloComputation> calls = LoopState.callCounts(module);
    return rewriteEach((given, current, _) ->
        current.op() instanceof While && current.operands().get(0).op() instanceof Tuple
            ? sunk(given, current, calls, session)
            : current);
  }

  private static HloInstruction sunk(
      HloInstruction given, HloInstruction loop, Multiset<HloComputation> calls, Session session) {
    HloComputation body = loop.called().get(1);
    ImmutableList<HloInstruction> initial = loop.operands().get(0).operands();
    Map<Integer, HloInstruction> constants = new HashMap<>();
    for (int part = 0; part < initial.size(); part++) {
      if (isConstant(initial.get(part)) && LoopState.isInvariantElement(body, part)) {
        constants.put(part, initial.get(part));
      }
    }
    ImmutableList.Builder<HloComputation> called = ImmutableList.builder();
    for (int i = 0; i < loop.called().size(); i++) {
      boolean isShared = calls.count(given.called().get(i)) > 1;
      called.add(sunk(loop.called().get(i), constants, new Rewriter(session, Map.of(), isShared)));
    }
    ImmutableList<HloComputation> all = called.build();
    return all.equals(loop.called()) ? loop : loop.withCalled(all);
  }

  private static HloComputation sunk(
      HloComputation computation, Map<Integer, HloInstruction> constants, Rewriter rewriter) {
    Set<HloInstruction> read =
        computation.instructions().stream()
            .filter(user -> !isState(user, computation))
            .flatMap(user -> user.operands().stream())
            .filter(operand -> constant(operand, constants) != null)
            .collect(Collectors.toSet());
    if (read.isEmpty()) {
      return computation;
    }
    Map<HloInstruction, HloInstruction> parts = new HashMap<>();
    return rewriter.rewrite(
        computation,
        instruction -> {
          if (read.contains(instruction)) {
            parts.put(instruction, rewriter.place(rewriter.updated(instruction)));
            return copy(requireNonNull(constant(instruction, constants)), rewriter);
          }
          return isState(instruction, computation)
              ? state(instruction, parts, rewriter)
              : rewriter.updated(instruction);
        });
  }

  private static boolean isConstant(HloInstruction instruction) {
    return UniformValues.constant(instruction).isPresent()
        || UniformValues.splat(instruction).isPresent();
  }

  /** Returns whether an instruction is the next state, in which elements are not replaced. */
  private static boolean isState(HloInstruction instruction, HloComputation computation) {
    return instruction == computation.root() && instruction.op() instanceof Tuple;
  }

  /** Returns the constant that an instruction reads from the state; null if it reads none. */
  private static @Nullable HloInstruction constant(
      HloInstruction instruction, Map<Integer, HloInstruction> constants) {
    OptionalInt element = LoopState.element(instruction);
    return element.isPresent() ? constants.get(element.getAsInt()) : null;
  }

  private static HloInstruction copy(HloInstruction constant, Rewriter rewriter) {
    Shape.Array shape = (Shape.Array) constant.shape();
    return constant.op() instanceof Constant known
        ? rewriter.constant(known.literal())
        : rewriter.full(UniformValues.splat(constant).orElseThrow(), shape);
  }

  private static HloInstruction state(
      HloInstruction tuple, Map<HloInstruction, HloInstruction> parts, Rewriter rewriter) {
    List<HloInstruction> operands =
        tuple.operands().stream()
            .map(operand -> parts.getOrDefault(operand, rewriter.current(operand)))
            .toList();
    return rewriter.updated(tuple).withOperands(operands);
  }
}
