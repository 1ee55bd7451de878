package org.hlo4j.check.part;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.ModuleCopy;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;

/** A module without dead instructions, and unused parameters of the entry, calls and fusions. */
final class Trimmed extends ModuleCopy {
  private final Set<String> kept;

  /** What has callers that pass operands in another way. */
  private final ImmutableSet<HloComputation> fixed;

  private final Map<HloComputation, Set<HloInstruction>> live = new HashMap<>();

  /**
   * Creates a copy of a module.
   *
   * @param module the module
   * @param kept names of instructions that stay although nothing needs them
   */
  Trimmed(HloModule module, Set<String> kept) {
    this.kept = kept;
    this.fixed =
        module
            .instructions()
            .filter(each -> !isCall(each))
            .flatMap(each -> each.called().stream())
            .collect(toImmutableSet());
  }

  private static boolean isCall(HloInstruction at) {
    return at.op() instanceof Call || at.op() instanceof Fusion;
  }

  /** Returns those of the values of its parameters that a computation still takes. */
  <T> ImmutableList<T> passed(HloComputation callee, List<T> values) {
    return parameters(callee).stream()
        .map(each -> values.get(((Parameter) each.op()).number()))
        .collect(toImmutableList());
  }

  private List<HloInstruction> parameters(HloComputation computation) {
    return computation.parameters().stream().filter(live(computation)::contains).toList();
  }

  private List<HloInstruction> operands(HloInstruction at) {
    return isCall(at) ? passed(at.called().get(0), at.operands()) : at.operands();
  }

  /** Returns the instructions of a computation that stay. */
  Set<HloInstruction> live(HloComputation computation) {
    Set<HloInstruction> known = live.get(computation);
    if (known != null) {
      return known;
    }
    Set<HloInstruction> needed = new HashSet<>(Set.of(computation.root()));
    needed.addAll(fixed.contains(computation) ? computation.parameters() : List.of());
    for (HloInstruction each : computation.instructions().reversed()) {
      if (needed.contains(each) || kept.contains(each.name())) {
        needed.add(each);
        needed.addAll(operands(each));
      }
    }
    live.put(computation, needed);
    return needed;
  }

  @Override
  protected void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to) {
    if (live(computation).contains(instruction)) {
      HloInstruction at = updated(instruction);
      replace(
          instruction,
          switch (at.op()) {
            case Parameter parameter -> {
              int number = parameters(computation).indexOf(instruction);
              yield at.withOp(new Parameter(number, parameter.shape()), at.shape());
            }
            case Call _, Fusion _ ->
                at.withOperands(operands(instruction).stream().map(this::copy).toList());
            default -> at;
          },
          to);
    }
  }
}
