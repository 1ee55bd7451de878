package org.hlo4j.interpreter.compiled.passes;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/** Queries that passes over loops share. */
final class LoopState {
  private LoopState() {}

  /** Returns whether a module has loops. */
  static boolean hasLoops(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> instruction.op() instanceof While);
  }

  /**
   * Returns how often computations are called. A pass that changes a computation with several
   * callers has to rename its instructions.
   */
  static Multiset<HloComputation> callCounts(HloModule module) {
    Multiset<HloComputation> calls = HashMultiset.create();
    module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .forEach(instruction -> calls.addAll(instruction.called()));
    return calls;
  }

  /** Returns whether an iteration leaves an element of the state unchanged. */
  static boolean isInvariantElement(HloComputation body, int part) {
    HloInstruction root = body.root();
    return root.op() instanceof Tuple
        ? isPart(root.operands().get(part), part)
        : root.op() instanceof Parameter;
  }

  private static boolean isPart(HloInstruction instruction, int part) {
    return instruction.op() instanceof GetTupleElement element
        && element.index() == part
        && instruction.operands().get(0).op() instanceof Parameter;
  }
}
