package org.hlo4j.interpreter.compiled;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.TooLargeException;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Limits;

/**
 * Kernels of one module. Those of fusions are made when the passes ask whether there are any, and
 * kept until the fusion is scheduled: it may stand on other operands by then, but calls the same
 * computation.
 */
final class FusionKernels {
  private final ConcurrentMap<HloComputation, Kernel> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger refused = new AtomicInteger();
  private final CodeBudget budget;
  private final boolean observesNanBits;

  /**
   * The kernels of a module.
   *
   * @param observesNanBits whether one NaN may be told from another in it
   * @param maxCodeBytes how much code may be generated for them all
   */
  FusionKernels(boolean observesNanBits, long maxCodeBytes) {
    this.observesNanBits = observesNanBits;
    this.budget = new CodeBudget(maxCodeBytes);
  }

  /** Whether there is a kernel for a fusion in the making. */
  boolean isKernel(HloInstruction fusion) {
    Optional<Kernel> kernel = within(fusion).kernel();
    kernel.ifPresent(made -> waiting.put(fusion.called().get(0), made));
    return kernel.isPresent();
  }

  /** What computes an instruction. */
  KernelChoice of(HloInstruction instruction) {
    Kernel made =
        instruction.op() instanceof Fusion ? waiting.remove(instruction.called().get(0)) : null;
    if (made != null) {
      return KernelChoice.of(made);
    }
    KernelChoice choice = within(instruction);
    if (choice.kernel().isEmpty()
        && budget.isSpent()
        && !(instruction.op() instanceof ForwardingOp)) {
      refused.incrementAndGet();
    }
    return choice;
  }

  private KernelChoice within(HloInstruction instruction) {
    Limits.checkCurrent();
    try {
      return budget.within(() -> Kernels.of(instruction, observesNanBits));
    } catch (TooLargeException tooMuchCode) {
      return tooMuchCode.decline();
    }
  }

  /** Whether there might have been more code. */
  boolean isCodeLimited() {
    return budget.isSpent();
  }

  /** How much code there is, for the plan. */
  String describeCode() {
    return String.format(
        "code: %s bytes generated, want no more; the reference does what needs some: %s"
            + " instructions",
        budget.generated(), refused.get());
  }
}
