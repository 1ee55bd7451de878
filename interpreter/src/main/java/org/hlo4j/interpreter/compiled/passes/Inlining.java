package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.Maps;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.Domain;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Family;

/**
 * Inlining of calls, fusions, and conditionals with a constant index. The pass also drops what
 * evaluation does not need: copies, barriers, domains, loops that are never entered, layouts,
 * shardings. Bitcasts become reshapes and transposes.
 *
 * <p>Inlining may not make the module more than a few times as long. A long computation that is
 * called often stays a call.
 */
final class Inlining extends Pass {
  private static final int ALWAYS = 20_000;

  @Override
  ModuleRewrite begin(HloModule module, Session session) {
    int all = module.computations().stream().mapToInt(each -> each.instructions().size()).sum();
    AtomicInteger budget = new AtomicInteger(ALWAYS + 2 * all);
    return (computation, rewriter) ->
        rewriter.rewrite(computation, instruction -> inlined(instruction, rewriter, budget));
  }

  private static HloInstruction inlined(
      HloInstruction instruction, Rewriter rewriter, AtomicInteger budget) {
    HloInstruction replacement =
        DynamicShapes.hasDynamicShape(instruction)
            ? rewriter.updated(instruction)
            : replacement(instruction, rewriter, budget);
    return rewriter.isPlaced(replacement) ? replacement : plain(replacement);
  }

  private static HloInstruction replacement(
      HloInstruction instruction, Rewriter rewriter, AtomicInteger budget) {
    return switch (instruction.op()) {
      case Call _, Fusion _ -> body(instruction, 0, rewriter, budget);
      case Conditional op -> inlineBranch(op, instruction, rewriter, budget);
      case While _ -> loop(instruction, rewriter);
      case Copy _, OptBarrier _, Domain _ -> dropped(instruction, rewriter);
      case Bitcast _ -> Bitcasts.opened(instruction, rewriter);
      case GetTupleElement _ -> Rewriter.knownElement(rewriter.updated(instruction));
      default -> rewriter.updated(instruction);
    };
  }

  private static HloInstruction dropped(HloInstruction instruction, Rewriter rewriter) {
    rewriter.session().count(instruction.op().opcode() + " dropped");
    return rewriter.current(instruction.operands().get(0));
  }

  private static HloInstruction body(
      HloInstruction caller, int which, Rewriter rewriter, AtomicInteger budget) {
    HloComputation body = rewriter.current(caller.called().get(which));
    if (body.instructions().size() > budget.get()) {
      return rewriter.updated(caller);
    }
    budget.addAndGet(-body.instructions().size());
    rewriter.session().count(caller.op().opcode() + " inlined");
    List<HloInstruction> operands = rewriter.currentOperands(caller);
    return inline(
        body,
        caller.op() instanceof Conditional ? operands.subList(which + 1, which + 2) : operands,
        rewriter);
  }

  /**
   * Writes copies of all instructions of a computation but its parameters, and returns the copy of
   * the root. A get-tuple-element of a known tuple becomes the element itself.
   */
  static HloInstruction inline(
      HloComputation body, List<HloInstruction> arguments, Rewriter rewriter) {
    return CallInliner.inline(
        body,
        arguments,
        each -> {
          HloInstruction copy = Rewriter.knownElement(each);
          return rewriter.isPlaced(copy)
              ? copy
              : rewriter.place(plain(copy.renamed(rewriter.session().fresh(copy.name()))));
        });
  }

  private static HloInstruction inlineBranch(
      Conditional op, HloInstruction conditional, Rewriter rewriter, AtomicInteger budget) {
    HloInstruction index = rewriter.current(conditional.operands().get(0));
    Optional<Literal> known = UniformValues.scalar(index);
    return known.isEmpty()
        ? rewriter.updated(conditional)
        : body(
            conditional,
            op.branch(known.get().longAt(0), conditional.called().size()),
            rewriter,
            budget);
  }

  private static HloInstruction loop(HloInstruction loop, Rewriter rewriter) {
    HloComputation called = rewriter.current(loop.called().get(0));
    HloInstruction condition = called.root();
    boolean isNeverEntered =
        condition.op() instanceof Constant constant
            && !constant.literal().isElided()
            && !constant.literal().booleanAt(0)
            && called.instructions().stream().allMatch(each -> isHarmless(each, rewriter));
    return isNeverEntered ? dropped(loop, rewriter) : rewriter.updated(loop);
  }

  /** Returns whether nothing is missed if an instruction is not run: it is pure, and ends. */
  private static boolean isHarmless(HloInstruction instruction, Rewriter rewriter) {
    return rewriter.session().effects().isPure(instruction)
        && OpTraits.of(instruction.op()).family() != Family.CONTROL;
  }

  /**
   * Returns an instruction without layouts and sharding. An instruction with an effect keeps its
   * attributes, except for control predecessors, and its sharding: a custom call may read both.
   */
  private static HloInstruction plain(HloInstruction instruction) {
    Shape shape = instruction.shape().mapArrays(Bitcasts::withoutPlainLayout);
    boolean isPlain =
        shape.equals(instruction.shape())
            && instruction.attributes().isEmpty()
            && instruction.sharding().isEmpty();
    if (isPlain) {
      return instruction;
    }
    boolean hasEffect = OpTraits.of(instruction.op()).family() == Family.EFFECT;
    Map<String, String> kept =
        Maps.filterKeys(
            instruction.attributes(), name -> hasEffect && !name.equals("control-predecessors"));
    return HloInstruction.create(
            instruction.name(),
            instruction.op() instanceof Call ? new Call() : instruction.op(), // no composite name
            instruction.operands(),
            instruction.called(),
            shape,
            instruction.metadata(),
            kept)
        .withSharding(hasEffect ? instruction.sharding() : Optional.empty());
  }
}
