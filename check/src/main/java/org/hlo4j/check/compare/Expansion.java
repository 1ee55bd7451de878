package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.text.Parser;

/** The replacement of some instructions of a module by calls of computations. */
final class Expansion {
  private Expansion() {}

  /**
   * Returns the module with its instructions replaced.
   *
   * @param rule returns, as the text of a module, the computation to call with the operands of an
   *     instruction; {@code @} stands for the beginning of a name; empty if it stays
   */
  static HloModule of(HloModule module, Function<HloInstruction, Optional<String>> rule) {
    IdentityHashMap<HloComputation, HloComputation> expanded = new IdentityHashMap<>();
    module.computations().forEach(each -> expanded.put(each, of(each, expanded, rule)));
    return HloModule.create(module.name(), expanded.getOrDefault(module.entry(), module.entry()))
        .withText(module.attributes(), module.stackFrames());
  }

  private static HloComputation of(
      HloComputation computation,
      IdentityHashMap<HloComputation, HloComputation> expanded,
      Function<HloInstruction, Optional<String>> rule) {
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    for (HloInstruction each : computation.instructions()) {
      ImmutableList<HloInstruction> operands =
          each.operands().stream()
              .map(operand -> copies.getOrDefault(operand, operand))
              .collect(ImmutableList.toImmutableList());
      HloInstruction copy =
          rule.apply(each)
              .map(text -> call(each, operands, text))
              .orElseGet(() -> copy(each, operands, expanded));
      instructions.add(copy);
      copies.put(each, copy);
    }
    return HloComputation.create(
        computation.name(),
        instructions,
        copies.getOrDefault(computation.root(), computation.root()),
        computation.executionThread());
  }

  private static HloInstruction call(
      HloInstruction instruction, ImmutableList<HloInstruction> operands, String text) {
    return HloInstruction.create(
        instruction.name(),
        new Call(),
        operands,
        ImmutableList.of(Parser.parse(text.replace("@", instruction.name() + ".")).entry()),
        instruction.shape(),
        instruction.metadata());
  }

  private static HloInstruction copy(
      HloInstruction instruction,
      ImmutableList<HloInstruction> operands,
      IdentityHashMap<HloComputation, HloComputation> expanded) {
    return HloInstruction.create(
            instruction.name(),
            instruction.op(),
            operands,
            instruction.called().stream().map(c -> expanded.getOrDefault(c, c)).toList(),
            instruction.shape(),
            instruction.metadata(),
            instruction.attributes())
        .withSharding(instruction.sharding());
  }
}
