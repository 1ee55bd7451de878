package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/** What of a computation is needed. */
final class Live {
  private Live() {}

  /** Returns those of the instructions, given in order, that these need, and these. */
  static Set<HloInstruction> of(
      List<HloInstruction> instructions, Collection<HloInstruction> needed) {
    Set<HloInstruction> live = new HashSet<>(needed);
    for (HloInstruction instruction : Lists.reverse(instructions)) {
      if (live.contains(instruction)) {
        live.addAll(instruction.operands());
      }
    }
    return live;
  }

  /** Returns the instructions of a computation that its root does not need, but parameters. */
  static ImmutableList<HloInstruction> dead(HloComputation computation) {
    Set<HloInstruction> live = of(computation.instructions(), Set.of(computation.root()));
    return computation.instructions().stream()
        .filter(each -> !live.contains(each) && !(each.op() instanceof Parameter))
        .collect(toImmutableList());
  }
}
