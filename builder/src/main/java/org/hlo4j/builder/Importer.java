package org.hlo4j.builder;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.Maps;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.schema.Names;

/**
 * An importer of existing computations and their callees into the module being built. Until the
 * module is built they are shared, so that a chain of calls takes only linear space. In the module
 * each has unique names, and one that is called twice occurs once.
 */
final class Importer {
  private final Names instructionNames;
  private final Names computationNames;
  private final Set<HloComputation> own = new HashSet<>();
  private final Map<HloComputation, HloComputation> imported = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> replaced = new HashMap<>();

  /** The names in the module of those instructions that change them. */
  private final Map<String, String> swapped = new HashMap<>();

  Importer(Names instructionNames, Names computationNames) {
    this.instructionNames = instructionNames;
    this.computationNames = computationNames;
  }

  /** Registers a computation of this module, whose names are already unique in it. */
  HloComputation own(HloComputation computation) {
    own.add(computation);
    return computation;
  }

  /**
   * Returns the module of an entry computation and all its callees. Arguments are given by the
   * names of the entry's parameters, so these get what was wanted for them, and an instruction that
   * has such a name gets the parameter's.
   *
   * @param wanted the names of the parameters by number
   */
  HloModule module(String name, HloComputation entry, Map<Integer, String> wanted) {
    own.add(entry);
    HloModule module = HloModule.create(name, entry);
    Set<String> names =
        entry.parameters().stream().map(HloInstruction::name).collect(Collectors.toSet());
    for (int i = 0; i < entry.parameters().size(); i++) {
      String given = entry.parameters().get(i).name();
      String wish = wanted.getOrDefault(i, given);
      if (names.add(wish)) {
        swapped.put(given, wish);
        swapped.put(wish, given);
      }
    }
    for (HloComputation computation : module.computations()) {
      boolean stays =
          own.contains(computation)
              && !callsImported(computation)
              && computation.instructions().stream()
                  .noneMatch(each -> swapped.containsKey(each.name()));
      imported.put(computation, stays ? computation : copy(computation));
    }
    return HloModule.create(name, imported.getOrDefault(entry, entry));
  }

  /**
   * Returns the instruction of the module that replaces one created before the module was built.
   */
  HloInstruction inModule(HloInstruction instruction) {
    return replaced.getOrDefault(instruction, instruction);
  }

  private boolean callsImported(HloComputation computation) {
    return computation.instructions().stream()
        .flatMap(instruction -> instruction.called().stream())
        .anyMatch(callee -> imported.get(callee) != callee);
  }

  private HloComputation copy(HloComputation original) {
    boolean renamed = !own.contains(original);
    for (HloInstruction instruction : original.instructions()) {
      HloInstruction copy = copy(instruction, renamed);
      if (copy != instruction) {
        replaced.put(instruction, copy);
      }
    }
    List<HloInstruction> instructions =
        original.instructions().stream().map(this::inModule).collect(toImmutableList());
    return HloComputation.create(
        renamed ? computationNames.unique(original.name()) : original.name(),
        instructions,
        inModule(original.root()),
        original.executionThread());
  }

  private HloInstruction copy(HloInstruction original, boolean renamed) {
    List<HloInstruction> operands =
        original.operands().stream().map(this::inModule).collect(toImmutableList());
    List<HloComputation> called =
        original.called().stream()
            .map(callee -> imported.getOrDefault(callee, callee))
            .collect(toImmutableList());
    String name =
        renamed
            ? instructionNames.unique(original.name())
            : swapped.getOrDefault(original.name(), original.name());
    if (name.equals(original.name())
        && !renamed
        && operands.equals(original.operands())
        && called.equals(original.called())) {
      return original;
    }
    HloInstruction copy =
        HloInstruction.create(
            name,
            original.op(),
            operands,
            called,
            original.shape(),
            original.metadata(),
            renamed ? withoutPredecessors(original) : original.attributes());
    return copy.withSharding(original.sharding());
  }

  /**
   * Drops control predecessors, which refer to the old names; the order of the instructions
   * preserves them.
   */
  private static Map<String, String> withoutPredecessors(HloInstruction original) {
    return Maps.filterKeys(original.attributes(), name -> !name.equals("control-predecessors"));
  }
}
