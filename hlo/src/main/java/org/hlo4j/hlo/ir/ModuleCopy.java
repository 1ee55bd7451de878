package org.hlo4j.hlo.ir;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A copy of a module in which some computations are written anew. What calls them is written anew
 * as well; everything else is shared.
 */
abstract class ModuleCopy {
  private final Map<HloComputation, HloComputation> computations = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> instructions = new HashMap<>();

  /** Returns whether a computation changes, apart from what it calls. */
  abstract boolean changes(HloComputation computation);

  /** Writes what takes the place of an instruction of a computation that changes. */
  abstract void write(
      HloComputation computation, HloInstruction instruction, List<HloInstruction> to);

  /** Returns the execution thread of the copy of a computation. */
  String thread(HloComputation computation) {
    return computation.executionThread();
  }

  final HloModule of(HloModule module) {
    ImmutableList.Builder<HloComputation> all = ImmutableList.builder();
    module.computations().forEach(computation -> all.add(written(computation)));
    return HloModule.create(module.name(), all.build(), copy(module.entry()))
        .withText(module.attributes(), module.stackFrames())
        .withUnknownFields(module.unknownFields());
  }

  private HloComputation written(HloComputation computation) {
    boolean isCaller =
        computation.instructions().stream()
            .flatMap(instruction -> instruction.called().stream())
            .anyMatch(called -> copy(called) != called);
    if (isCaller || changes(computation)) {
      List<HloInstruction> list = new ArrayList<>();
      computation.instructions().forEach(each -> write(computation, each, list));
      HloComputation copy =
          HloComputation.create(
                  computation.name(), list, copy(computation.root()), thread(computation))
              .withUnknownFields(computation.unknownFields());
      computations.put(computation, computation.position().map(copy::withPosition).orElse(copy));
    }
    return copy(computation);
  }

  final HloComputation copy(HloComputation computation) {
    return computations.getOrDefault(computation, computation);
  }

  final HloInstruction copy(HloInstruction instruction) {
    return instructions.getOrDefault(instruction, instruction);
  }

  /** Returns an instruction with the copies of its operands and of what it calls. */
  final HloInstruction updated(HloInstruction instruction) {
    return instruction
        .withOperands(instruction.operands().stream().map(this::copy).toList())
        .withCalled(instruction.called().stream().map(this::copy).toList());
  }

  /** Writes an instruction in the place of another. */
  final void replace(HloInstruction old, HloInstruction replacement, List<HloInstruction> to) {
    to.add(replacement);
    instructions.put(old, replacement);
  }
}
