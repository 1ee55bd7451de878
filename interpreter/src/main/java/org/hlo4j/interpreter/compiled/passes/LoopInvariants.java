package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * Loop-invariant code motion: values that a {@code while} computes in each iteration, although they
 * depend only on constants and on unchanged state, are computed once before the loop and become
 * part of its state. {@link InvariantCode} decides which values are worth it.
 *
 * <p>A loop without iterations must not compute anything that has an effect, fails, or takes long.
 * Ops with effects, or that may fail, are never invariant ({@link OpTraits}). Unless the condition
 * certainly holds at first ({@link TripCount}), expensive code is moved into a branch of a {@code
 * conditional} on the condition. A branch inside the body may never run, so only cheap code is
 * moved out of it.
 */
final class LoopInvariants extends Pass {
  /** The number of operations that may be computed in vain: some microseconds. */
  static final long MAX_SPECULATED = 1 << 14;

  @Override
  boolean mayApply(HloModule module) {
    return LoopState.hasLoops(module);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = session.effects();
    Multiset<HloComputation> calls = LoopState.callCounts(module);
    Motion motion = new Motion(session, effects, calls);
    return rewriteEach((given, current, rewriter) ->
        current.op() instanceof While
            ? motion.loop(given, current, rewriter)
            : Rewriter.knownElement(current));
  }

  /** The motion of code out of the loops of one module. */
  private record Motion(Session session, Effects effects, Multiset<HloComputation> calls) {
    HloInstruction loop(HloInstruction given, HloInstruction loop, Rewriter rewriter) {
      HloComputation condition = loop.called().get(0);
      HloComputation body = loop.called().get(1);
      HloInstruction initial = loop.operands().get(0);
      IntPredicate isInvariant = part -> LoopState.isInvariantElement(body, part);
      InvariantCode ofCondition =
          new InvariantCode(condition, isInvariant, effects, InvariantCode.UNLIMITED);
      boolean isCertain = TripCount.isPositive(condition, initial);
      boolean isLimited = !isCertain && !mayBeRepeated(condition);
      HloComputation whole =
          isLimited ? body : new BranchInvariants(session, effects).hoist(body, isInvariant);
      InvariantCode ofBody =
          new InvariantCode(
              whole, isInvariant, effects, isLimited ? MAX_SPECULATED : InvariantCode.UNLIMITED);
      if (ofCondition.moved().isEmpty() && ofBody.moved().isEmpty()) {
        return loop;
      }
      List<HloInstruction> values = new ArrayList<>(computed(ofCondition, initial, rewriter));
      values.addAll(
          isCertain || ofBody.operations() <= MAX_SPECULATED
              ? computed(ofBody, initial, rewriter)
              : guarded(ofBody, condition, initial, rewriter));
      values.forEach(value -> session.count("loop invariant moved"));
      var extension = new ParameterExtension(loop.shape(), values, session);
      int first = extension.shape().elements().size() - values.size();
      int next = first + ofCondition.moved().size();
      HloInstruction extended =
          LoopState.withState(
              given,
              extension.extend(initial, values, rewriter),
              ImmutableList.of(
                  extension.extendComputation(
                      condition, ofCondition, first, false, isShared(given, 0)),
                  extension.extendComputation(whole, ofBody, next, true, isShared(given, 1))),
              rewriter);
      return extension.withoutExtension(extended, rewriter);
    }

    private boolean isShared(HloInstruction loop, int which) {
      return calls.count(loop.called().get(which)) > 1;
    }

    /** Returns whether the condition may be evaluated once more, before the loop. */
    private boolean mayBeRepeated(HloComputation condition) {
      return condition.instructions().stream()
          .allMatch(instruction ->
              effects.isPure(instruction)
                  && OpTraits.of(instruction.op()).family() != Family.CONTROL);
    }

    private ImmutableList<HloInstruction> computed(
        InvariantCode code, HloInstruction initial, Rewriter rewriter) {
      return code.moved().isEmpty()
          ? ImmutableList.of()
          : Inlining.inline(code.code(), List.of(initial), rewriter).operands();
    }

    /** Returns {@code condition(initial) ? code(initial) : zeros}. */
    private ImmutableList<HloInstruction> guarded(
        InvariantCode code, HloComputation condition, HloInstruction initial, Rewriter rewriter) {
      HloInstruction holds = Inlining.inline(condition, List.of(initial), rewriter);
      HloComputation branch = renamed(code.code());
      HloComputation otherwise = zeros(initial.shape(), (Shape.Tuple) branch.root().shape());
      HloInstruction chosen =
          rewriter.add(
              new Conditional(ElementType.PRED),
              ImmutableList.of(holds, initial, initial),
              branch,
              otherwise);
      return ParameterExtension.parts(chosen, rewriter);
    }

    private HloComputation renamed(HloComputation code) {
      return rewriteEach((_, each, _) -> each).rewrite(code, new Rewriter(session, Map.of(), true));
    }

    private HloComputation zeros(Shape parameter, Shape.Tuple result) {
      Rewriter made = new Rewriter(session, Map.of(), false);
      made.add(new Parameter(0, parameter));
      List<HloInstruction> zeros =
          result.elements().stream()
              .map(Shape.Array.class::cast)
              .map(shape -> {
                Literal zero = Literal.zeros(Shape.of(shape.elementType()));
                return made.full(zero, shape);
              })
              .toList();
      return made.build(session.fresh("no_iteration"), made.add(new Tuple(), zeros));
    }
  }
}
