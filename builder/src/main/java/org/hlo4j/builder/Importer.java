package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.Maps;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * Takes ready computations into the module being built, with all they call. One that comes twice is
 * shared; names that are taken get a number.
 */
final class Importer {
  private final Names instructionNames;
  private final Names computationNames;
  private final Map<HloComputation, HloComputation> imported = new HashMap<>();

  Importer(Names instructionNames, Names computationNames) {
    this.instructionNames = instructionNames;
    this.computationNames = computationNames;
  }

  HloComputation take(HloComputation computation) {
    if (!imported.containsKey(computation)) {
      List<HloComputation> order = HloModule.create("import", computation).computations();
      for (HloComputation callee : order) {
        if (!imported.containsKey(callee)) {
          imported.put(callee, copy(callee));
        }
      }
    }
    return imported.getOrDefault(computation, computation);
  }

  /** A computation of this very module, which needs no copy. */
  HloComputation own(HloComputation computation) {
    imported.put(computation, computation);
    return computation;
  }

  private HloComputation copy(HloComputation original) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    for (HloInstruction instruction : original.instructions()) {
      copies.put(instruction, copy(instruction, copies));
    }
    List<HloInstruction> instructions =
        original.instructions().stream()
            .map(instruction -> copies.getOrDefault(instruction, instruction))
            .collect(toImmutableList());
    return HloComputation.create(
        computationNames.unique(original.name()),
        instructions,
        copies.getOrDefault(original.root(), original.root()),
        original.executionThread());
  }

  private HloInstruction copy(HloInstruction original, Map<HloInstruction, HloInstruction> copies) {
    return HloInstruction.create(
        instructionNames.unique(original.name()),
        original.op(),
        original.operands().stream()
            .map(operand -> copies.getOrDefault(operand, operand))
            .collect(toImmutableList()),
        original.called().stream()
            .map(callee -> imported.getOrDefault(callee, callee))
            .collect(toImmutableList()),
        original.shape(),
        original.metadata(),
        attributes(original));
  }

  /** Control predecessors are instructions by their old names; the order keeps them. */
  private static Map<String, String> attributes(HloInstruction original) {
    return Maps.filterKeys(original.attributes(), name -> !name.equals("control-predecessors"));
  }
}
