package org.hlo4j.interpreter.engine;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * The effects of instructions and computations beside computing their values: transfers, calls of
 * the user's functions, exchanges with other devices, random numbers from the run's state. An
 * effect happens as often, and in the order, as the reference evaluates the module as it is
 * written, whether or not a value is read. Whoever evaluates a computation, or a part of it, in
 * another form asks here first: passes, kernels, and the short forms of the reference. Where
 * indices are checked, so are ops with indices: their effect is a refusal.
 */
public final class Effects {
  private final Map<HloComputation, Boolean> known =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Predicate<Op> isEffect;

  /** Creates what knows the effects of ops. */
  public Effects() {
    this(op -> OpTraits.of(op).family() == Family.EFFECT);
  }

  private Effects(Predicate<Op> isEffect) {
    this.isEffect = isEffect;
  }

  /** Returns what takes ops whose indices may be out of bounds for effects, and no others. */
  public static Effects ofIndices() {
    return new Effects(StartBounds::haveStarts);
  }

  /** Returns whether an instruction has an effect, by itself or by a computation that it calls. */
  public boolean hasEffect(HloInstruction instruction) {
    return isEffect(instruction) || callsEffect(instruction);
  }

  private boolean isEffect(HloInstruction instruction) {
    return isEffect.test(instruction.op());
  }

  /** Returns whether a computation that an instruction calls contains an effect. */
  public boolean callsEffect(HloInstruction instruction) {
    for (HloComputation called : instruction.called()) {
      if (containsEffect(called)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a computation, or one that it calls, has an instruction with an effect. */
  public boolean containsEffect(HloComputation computation) {
    Boolean answer = known.get(computation);
    if (answer != null) {
      return answer;
    }
    Set<HloComputation> visited = new HashSet<>(List.of(computation));
    boolean isFound = isAnyEffect(visited);
    if (isFound) {
      known.put(computation, true);
    } else {
      visited.forEach(each -> known.put(each, false));
    }
    return isFound;
  }

  /** Visits computations and all that they call, without recursion, up to the first effect. */
  private boolean isAnyEffect(Set<HloComputation> visited) {
    Deque<HloComputation> left = new ArrayDeque<>(visited);
    while (!left.isEmpty()) {
      HloComputation next = left.pop();
      Boolean answer = known.get(next);
      if (answer != null && !answer) {
        continue;
      }
      if (answer != null || next.instructions().stream().anyMatch(this::isEffect)) {
        return true;
      }
      next.instructions().stream()
          .flatMap(instruction -> instruction.called().stream())
          .filter(visited::add)
          .forEach(left::push);
    }
    return false;
  }

  /**
   * Returns whether an instruction does nothing but compute its value: it has no effect, and cannot
   * refuse the sizes that it gets at run time.
   */
  public boolean isPure(HloInstruction instruction) {
    return !DynamicShapes.hasDynamicShape(instruction) && !hasEffect(instruction);
  }

  /** Returns whether an instruction has to stay in its computation even if no other needs it. */
  public boolean isRequired(HloInstruction instruction) {
    return instruction.op() instanceof Parameter || !isPure(instruction);
  }

  /**
   * Returns whether an instruction may become another one: it is pure, or only runs computations,
   * whose effects stay in them.
   */
  public boolean isReplaceable(HloInstruction instruction) {
    return OpTraits.of(instruction.op()).family() == Family.CONTROL
        ? !DynamicShapes.hasDynamicShape(instruction)
        : isPure(instruction);
  }
}
