package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Multiset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * Loop-invariant code motion: values that a {@code while} computes in each iteration, although they
 * depend only on constants and on unchanged state, are computed once before the loop and become
 * part of its state. {@link InvariantCode} decides which values are worth it.
 *
 * <p>A loop without iterations must not compute anything that has an effect, fails, or takes long.
 * Ops with effects, or that may fail, are never invariant ({@link OpTraits}). Unless the condition
 * certainly holds at first ({@link LoopEntry}), expensive code is moved into a branch of a {@code
 * conditional} on the condition. A branch inside the body may never run, so only cheap code is
 * moved out of it.
 */
final class LoopInvariants extends RewritingPass {
  /** The number of operations that may be computed in vain: some microseconds. */
  static final long MAX_SPECULATED = 1 << 14;

  private final ConstantFolding folding;

  LoopInvariants(ConstantFolding folding) {
    this.folding = folding;
  }

  @Override
  boolean mayApply(HloModule module) {
    return LoopState.hasLoops(module);
  }

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    Effects effects = new Effects(module);
    Multiset<HloComputation> calls = LoopState.callCounts(module);
    return (computation, rewriter) -> {
      Writer writer = new Writer(rewriter, effects, calls, folding);
      for (HloInstruction instruction : computation.instructions()) {
        rewriter.replace(instruction, writer.written(instruction));
      }
      return rewriter.finish(computation);
    };
  }

  /** Writes one computation. */
  private static final class Writer {
    private final Rewriter rewriter;
    private final Session session;
    private final Effects effects;
    private final Multiset<HloComputation> calls;
    private final ConstantFolding folding;

    Writer(
        Rewriter rewriter,
        Effects effects,
        Multiset<HloComputation> calls,
        ConstantFolding folding) {
      this.folding = folding;
      this.rewriter = rewriter;
      this.session = rewriter.session();
      this.effects = effects;
      this.calls = calls;
    }

    HloInstruction written(HloInstruction instruction) {
      HloInstruction current = rewriter.updated(instruction);
      if (instruction.op() instanceof GetTupleElement element
          && current != instruction
          && current.operands().get(0).op() instanceof Tuple) {
        return current.operands().get(0).operands().get(element.index());
      }
      return instruction.op() instanceof While && !Effects.isDynamic(instruction)
          ? loop(instruction, current)
          : current;
    }

    private HloInstruction loop(HloInstruction given, HloInstruction loop) {
      HloComputation condition = loop.called().get(0);
      HloComputation body = loop.called().get(1);
      HloInstruction initial = loop.operands().get(0);
      IntPredicate isInvariant = part -> LoopState.isInvariantElement(body, part);
      InvariantCode ofCondition =
          new InvariantCode(condition, isInvariant, effects, InvariantCode.UNLIMITED);
      boolean isCertain = LoopEntry.isCertain(condition, initial, folding);
      boolean isLimited = !isCertain && !mayBeRepeated(condition);
      HloComputation whole =
          isLimited ? body : new BranchInvariants(session, effects).hoist(body, isInvariant);
      InvariantCode ofBody =
          new InvariantCode(
              whole, isInvariant, effects, isLimited ? MAX_SPECULATED : InvariantCode.UNLIMITED);
      if (ofCondition.moved().isEmpty() && ofBody.moved().isEmpty()) {
        return loop;
      }
      List<HloInstruction> values = new ArrayList<>(computed(ofCondition, initial));
      values.addAll(
          isCertain || ofBody.operations() <= MAX_SPECULATED
              ? computed(ofBody, initial)
              : guarded(ofBody, condition, initial));
      values.forEach(value -> session.count("loop invariant moved"));
      var extension = new ParameterExtension(loop.shape(), values, session);
      int first = extension.shape().elements().size() - values.size();
      int next = first + ofCondition.moved().size();
      HloInstruction extended =
          HloInstruction.create(
              session.fresh(given.name()),
              loop.op(),
              ImmutableList.of(extension.extend(initial, values, rewriter)),
              ImmutableList.of(
                  extension.extendComputation(
                      condition, ofCondition, first, false, isShared(given, 0)),
                  extension.extendComputation(whole, ofBody, next, true, isShared(given, 1))),
              extension.shape(),
              loop.metadata(),
              loop.attributes());
      return extension.withoutExtension(rewriter.place(extended), rewriter);
    }

    private boolean isShared(HloInstruction loop, int which) {
      return calls.count(loop.called().get(which)) > 1;
    }

    /** Returns whether the condition may be evaluated once more, before the loop. */
    private static boolean mayBeRepeated(HloComputation condition) {
      return condition.instructions().stream()
          .noneMatch(instruction ->
              OpTraits.of(instruction.op()).family() == Family.EFFECT
                  || OpTraits.of(instruction.op()).family() == Family.CONTROL
                  || Effects.isDynamic(instruction));
    }

    private ImmutableList<HloInstruction> computed(InvariantCode code, HloInstruction initial) {
      return code.moved().isEmpty()
          ? ImmutableList.of()
          : Inlining.inline(code.code(), List.of(initial), rewriter).operands();
    }

    /** Returns {@code condition(initial) ? code(initial) : zeros}. */
    private ImmutableList<HloInstruction> guarded(
        InvariantCode code, HloComputation condition, HloInstruction initial) {
      HloInstruction holds = Inlining.inline(condition, List.of(initial), rewriter);
      HloComputation branch = renamed(code.code());
      HloComputation otherwise = zeros(initial.shape(), (Shape.Tuple) branch.root().shape());
      HloInstruction chosen =
          HloInstruction.create(
              session.fresh("conditional"),
              new Conditional(ElementType.PRED),
              ImmutableList.of(holds, initial, initial),
              ImmutableList.of(branch, otherwise),
              branch.root().shape(),
              Metadata.NONE);
      return ParameterExtension.parts(rewriter.place(chosen), rewriter);
    }

    private HloComputation renamed(HloComputation code) {
      return rewriteEach((each, _) -> each).rewrite(code, new Rewriter(session, Map.of(), true));
    }

    private HloComputation zeros(Shape parameter, Shape.Tuple result) {
      Rewriter made = new Rewriter(session, Map.of(), false);
      made.add(new Parameter(0, parameter));
      HloInstruction[] zeros =
          result.elements().stream()
              .map(Shape.Array.class::cast)
              .map(shape -> {
                Literal zero = Literal.zeros(Shape.of(shape.elementType()));
                return made.broadcast(made.constant(zero), shape, Dims.of());
              })
              .toArray(HloInstruction[]::new);
      return made.build(session.fresh("no_iteration"), made.add(new Tuple(), zeros));
    }
  }
}
