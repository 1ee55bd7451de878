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
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.Limits;

/**
 * The kernels of one module. The kernel of a fusion is generated when the passes ask whether there
 * is one, and kept until the fusion is scheduled. By then the fusion may have other operands, but
 * it still calls the same computation.
 */
final class FusionKernels {
  private final ConcurrentMap<HloComputation, Kernel> pending = new ConcurrentHashMap<>();
  private final AtomicInteger refusedCount = new AtomicInteger();
  private final CodeBudget budget;
  private final boolean observesNanBits;

  /**
   * Creates the kernels of a module.
   *
   * @param observesNanBits whether the module can tell one NaN from another
   * @param maxCodeBytes how many bytes of code may be generated for all kernels
   */
  FusionKernels(boolean observesNanBits, long maxCodeBytes) {
    this.observesNanBits = observesNanBits;
    this.budget = new CodeBudget(maxCodeBytes);
  }

  /** Returns whether there is a kernel for a fusion that a pass is about to make. */
  boolean hasKernel(HloInstruction fusion) {
    Optional<Kernel> kernel = generate(fusion).kernel();
    kernel.ifPresent(made -> pending.put(fusion.called().get(0), made));
    return kernel.isPresent();
  }

  /** Returns the kernel of an instruction that is to be run, or the reason why there is none. */
  KernelChoice of(HloInstruction instruction) {
    KernelChoice choice = choice(instruction);
    choice.kernel().ifPresent(Kernel::warmUp);
    return choice;
  }

  private KernelChoice choice(HloInstruction instruction) {
    Kernel made =
        instruction.op() instanceof Fusion ? pending.remove(instruction.called().get(0)) : null;
    if (made != null) {
      return KernelChoice.of(made);
    }
    KernelChoice choice = generate(instruction);
    if (choice.kernel().isEmpty()
        && budget.isSpent()
        && !(instruction.op() instanceof ForwardingOp)) {
      refusedCount.incrementAndGet();
    }
    return choice;
  }

  private KernelChoice generate(HloInstruction instruction) {
    Limits.checkCurrent();
    return budget.within(() -> Kernels.of(instruction, observesNanBits));
  }

  /** Returns whether the budget is spent, so that some code may not have been generated. */
  boolean isCodeLimited() {
    return budget.isSpent();
  }

  /** Returns the size of the generated code, as text for the plan. */
  String describeCode() {
    return String.format(
        "code: %s bytes generated, want no more; the reference does what needs some: %s"
            + " instructions",
        budget.generated(), refusedCount.get());
  }
}
