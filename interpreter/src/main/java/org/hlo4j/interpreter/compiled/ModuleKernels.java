package org.hlo4j.interpreter.compiled;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.loops.Loops;
import org.hlo4j.interpreter.compiled.passes.Expression;
import org.hlo4j.interpreter.compiled.passes.Generators;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Step;

/**
 * The kernels of one module. Instructions that compute the same from the same shapes, such as those
 * of the layers of a model, share one kernel, which is made when the passes first ask whether there
 * is one.
 */
final class ModuleKernels {
  private final ConcurrentMap<List<Expression>, KernelChoice> chosen;
  private final AtomicInteger refusedCount = new AtomicInteger();
  private final CodeBudget budget;
  private final Effects effects = new Effects();
  private final boolean observesNanBits;

  /**
   * Creates the kernels of a module.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   * @param maxCodeBytes how many bytes of code may be generated for all kernels
   * @param whole the kernels of the module that this one is a part of; they are shared
   */
  ModuleKernels(boolean observesNanBits, long maxCodeBytes, Optional<ModuleKernels> whole) {
    this.observesNanBits = observesNanBits;
    this.budget = new CodeBudget(maxCodeBytes);
    this.chosen =
        whole
            .filter(other -> other.observesNanBits == observesNanBits)
            .map(other -> other.chosen)
            .orElseGet(ConcurrentHashMap::new);
  }

  /** Returns the capabilities of the generators of this module. */
  Generators generators() {
    return new Generators(
        Loops::canFuse,
        instruction -> instruction.op() instanceof Reduce,
        instruction -> isProduct(instruction) && GemmFusions.supportsEpilogue(shared(instruction)),
        fusion -> budget.within(() -> choice(fusion)).kernel().isPresent());
  }

  /** Returns the kernel of an instruction that is to be run, or the reason why there is none. */
  KernelChoice of(HloInstruction instruction) {
    KernelChoice choice = budget.within(() -> choice(instruction));
    choice.kernel().ifPresent(Kernel::warmUp);
    if (choice.kernel().isEmpty()
        && budget.isSpent()
        && !(instruction.op() instanceof ForwardingOp)) {
      refusedCount.incrementAndGet();
    }
    return choice;
  }

  private static boolean isProduct(HloInstruction instruction) {
    return instruction.op() instanceof Dot || instruction.op() instanceof Convolution;
  }

  private KernelChoice choice(HloInstruction instruction) {
    return isProduct(instruction) || instruction.op() instanceof Fusion
        ? shared(instruction)
        : made(instruction);
  }

  private KernelChoice shared(HloInstruction instruction) {
    List<Expression> key = Expression.ofKernel(instruction);
    KernelChoice known = chosen.get(key);
    if (known != null) {
      return known;
    }
    KernelChoice choice = made(instruction);
    if (choice.kernel().isPresent()) {
      chosen.put(key, choice);
    }
    return choice;
  }

  /**
   * Returns a new kernel. A kernel computes values and nothing else, so there is none for what
   * calls a computation with an effect, whether or not anybody reads a value of it.
   */
  private KernelChoice made(HloInstruction instruction) {
    Limits.checkCurrent();
    if (Step.hasNoElements(instruction)) {
      return KernelChoice.decline("a result without elements");
    }
    return effects.callsEffect(instruction)
        ? KernelChoice.decline("calls a computation with an effect")
        : Kernels.of(instruction, observesNanBits, this::shared);
  }

  /** Returns whether the budget is spent, so that some code may not have been generated. */
  boolean isCodeLimited() {
    return budget.isSpent();
  }

  /** Returns the size of the generated code, as text for the plan. */
  String describeCode() {
    return String.format(
        "code: %s bytes generated, want no more; the reference computes %s"
            + " instructions that would need more",
        budget.generated(), refusedCount.get());
  }
}
