package org.hlo4j.interpreter.check;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A shrinker of failing modules. It first uses an earlier instruction as the root, then replaces
 * instructions by parameters whose arguments are the values that the reference computes, as long as
 * the module still fails.
 */
final class Shrinker {
  private final Predicate<Program> fails;
  private Program smallest;

  private Shrinker(Program failing, Predicate<Program> fails) {
    this.fails = fails;
    this.smallest = failing;
  }

  static Program shrunk(Program failing, Predicate<Program> fails) {
    Shrinker shrinker = new Shrinker(failing, fails);
    shrinker.earlierRoot();
    shrinker.cut();
    shrinker.cut();
    return shrinker.smallest;
  }

  private boolean keep(Optional<Program> smaller) {
    boolean isFailing = smaller.filter(fails).isPresent();
    if (isFailing) {
      smallest = smaller.orElseThrow();
    }
    return isFailing;
  }

  private void earlierRoot() {
    HloComputation entry = smallest.module().entry();
    for (HloInstruction root : entry.instructions()) {
      if (keep(rebuilt(root, Map.of()))) {
        return;
      }
    }
  }

  /** Replaces the latest instructions first, which removes the most at once. */
  private void cut() {
    Map<String, Literal> values = values(smallest);
    for (String name : names(smallest).reverse()) {
      for (HloInstruction instruction : smallest.module().entry().instructions()) {
        Literal value = values.get(name);
        boolean isCut = instruction.name().equals(name) && !isGiven(instruction);
        boolean isRoot = instruction == smallest.module().entry().root();
        if (isCut && !isRoot && value != null && value.shape() instanceof Shape.Array) {
          keep(rebuilt(smallest.module().entry().root(), Map.of(instruction, value)));
          break;
        }
      }
    }
  }

  private static ImmutableList<String> names(Program of) {
    return of.module().entry().instructions().stream()
        .map(HloInstruction::name)
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isGiven(HloInstruction instruction) {
    return instruction.op() instanceof Parameter || instruction.op() instanceof Constant;
  }

  private static Map<String, Literal> values(Program of) {
    Map<String, Literal> values = new HashMap<>();
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .valueListener((device, at, value) -> values.put(at.name(), value))
            .build();
    Interpreter.reference(options).run(of.module(), of.arguments().toArray(Literal[]::new));
    return values;
  }

  /**
   * Returns the module of the instructions that the root needs, with some of their values given.
   */
  private Optional<Program> rebuilt(HloInstruction root, Map<HloInstruction, Literal> given) {
    IdentityHashMap<HloInstruction, HloInstruction> copies = new IdentityHashMap<>();
    List<HloInstruction> instructions = new ArrayList<>();
    List<Literal> arguments = new ArrayList<>();
    List<HloInstruction> needed = needed(root, given);
    for (HloInstruction old : smallest.module().entry().instructions()) {
      if (!needed.contains(old)) {
        continue;
      }
      Optional<Literal> value = Optional.ofNullable(given.get(old));
      if (old.op() instanceof Parameter parameter) {
        value = Optional.of(smallest.arguments().get(parameter.number()));
      }
      HloInstruction copy =
          value.isPresent()
              ? HloInstruction.of(old.name(), new Parameter(arguments.size(), old.shape()))
              : HloInstruction.create(
                  old.name(),
                  old.op(),
                  old.operands().stream().map(copies::get).toList(),
                  old.called(),
                  old.shape(),
                  old.metadata());
      value.ifPresent(arguments::add);
      instructions.add(copy);
      copies.put(old, copy);
    }
    HloInstruction newRoot = instructions.get(instructions.size() - 1);
    return Optional.of(
        new Program(
            HloModule.create("fuzz", HloComputation.create("main", instructions, newRoot)),
            ImmutableList.copyOf(arguments)));
  }

  private static List<HloInstruction> needed(
      HloInstruction root, Map<HloInstruction, Literal> given) {
    List<HloInstruction> needed = new ArrayList<>(List.of(root));
    for (int i = 0; i < needed.size(); i++) {
      if (!given.containsKey(needed.get(i))) {
        needed.get(i).operands().stream().filter(o -> !needed.contains(o)).forEach(needed::add);
      }
    }
    return needed;
  }
}
