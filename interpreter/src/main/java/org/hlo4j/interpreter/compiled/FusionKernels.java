package org.hlo4j.interpreter.compiled;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.interpreter.kernel.Kernel;

/**
 * Kernels of one module. Those of fusions are made when the passes ask whether there are any, and
 * kept until the fusion is scheduled: it may stand on other operands by then, but calls the same
 * computation.
 */
final class FusionKernels {
  private final ConcurrentMap<HloComputation, Kernel> waiting = new ConcurrentHashMap<>();
  private final boolean areBitsSeen;

  /** The kernels of a module in which one NaN may be told from another or not. */
  FusionKernels(boolean areBitsSeen) {
    this.areBitsSeen = areBitsSeen;
  }

  /** Whether there is a kernel for a fusion in the making. */
  boolean isKernel(HloInstruction fusion) {
    Optional<Kernel> kernel = Kernels.of(fusion, areBitsSeen);
    kernel.ifPresent(made -> waiting.put(fusion.called().get(0), made));
    return kernel.isPresent();
  }

  /** What computes an instruction. */
  Optional<Kernel> of(HloInstruction instruction) {
    Kernel made =
        instruction.op() instanceof Fusion ? waiting.remove(instruction.called().get(0)) : null;
    return made != null ? Optional.of(made) : Kernels.of(instruction, areBitsSeen);
  }
}
