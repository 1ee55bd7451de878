package org.hlo4j.pjrt.form;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/** A copy of a module in which each instruction was edited, in all computations. */
final class Edited {
  private final UnaryOperator<HloInstruction> edit;
  private final Map<HloComputation, HloComputation> computations = new IdentityHashMap<>();

  private Edited(UnaryOperator<HloInstruction> edit) {
    this.edit = edit;
  }

  /**
   * Returns the copy.
   *
   * @param module the module
   * @param edit returns an instruction of the same shape, operands and called computations
   */
  static HloModule of(HloModule module, UnaryOperator<HloInstruction> edit) {
    Edited edited = new Edited(edit);
    ImmutableList<HloComputation> all =
        module.computations().stream().map(edited::computation).collect(toImmutableList());
    return HloModule.create(module.name(), all, edited.known(module.entry()))
        .withText(module.attributes(), module.stackFrames())
        .withUnknownFields(module.unknownFields());
  }

  private HloComputation known(HloComputation computation) {
    return Objects.requireNonNull(computations.get(computation));
  }

  private HloComputation computation(HloComputation computation) {
    Map<HloInstruction, HloInstruction> known = new IdentityHashMap<>();
    for (HloInstruction instruction : computation.instructions()) {
      HloInstruction copy =
          instruction
              .withOperands(instruction.operands().stream().map(known::get).toList())
              .withCalled(instruction.called().stream().map(this::known).toList());
      known.put(instruction, edit.apply(copy));
    }
    HloComputation made =
        HloComputation.create(
                computation.name(),
                computation.instructions().stream().map(known::get).collect(toImmutableList()),
                Objects.requireNonNull(known.get(computation.root())),
                computation.executionThread())
            .withUnknownFields(computation.unknownFields());
    computations.put(computation, made);
    return made;
  }
}
