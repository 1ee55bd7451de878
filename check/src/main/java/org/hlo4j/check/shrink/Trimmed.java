package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Comparator.comparingInt;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/**
 * A finished computation without dead instructions.
 *
 * @param computation the computation
 * @param kept the numbers that its parameters had before, in order
 * @param arguments the arguments of the parameters, if it is the entry
 */
record Trimmed(
    HloComputation computation, ImmutableList<Integer> kept, ImmutableList<Literal> arguments) {
  /** Returns those of the operands that the computation still takes. */
  ImmutableList<HloInstruction> passed(ImmutableList<HloInstruction> operands) {
    return kept.stream().map(operands::get).collect(toImmutableList());
  }

  /**
   * Finishes a computation.
   *
   * @param old what it was
   * @param draft its instructions
   * @param root its root
   * @param needed the instructions that stay, and the root
   * @param isTrimmed whether unused parameters go
   */
  static Trimmed of(
      HloComputation old,
      Draft draft,
      HloInstruction root,
      Set<HloInstruction> needed,
      boolean isTrimmed) {
    Set<HloInstruction> live = HloComputation.live(draft.instructions(), needed::contains);
    ImmutableList<HloInstruction> instructions =
        draft.instructions().stream()
            .filter(each -> live.contains(each) || (!isTrimmed && each.op() instanceof Parameter))
            .distinct()
            .collect(toImmutableList());
    ImmutableList<Integer> kept =
        instructions.stream()
            .filter(each -> each.op() instanceof Parameter)
            .sorted(comparingInt(Trimmed::number))
            .map(Trimmed::number)
            .collect(toImmutableList());
    return new Trimmed(
        renumbered(old, instructions, root, kept),
        kept,
        draft.arguments().isEmpty()
            ? ImmutableList.of()
            : kept.stream().map(draft.arguments()::get).collect(toImmutableList()));
  }

  /** Returns the instructions of a computation that its root does not need, but parameters. */
  static ImmutableList<HloInstruction> dead(HloComputation computation) {
    Set<HloInstruction> live =
        HloComputation.live(computation.instructions(), each -> each == computation.root());
    return computation.instructions().stream()
        .filter(each -> !live.contains(each) && !(each.op() instanceof Parameter))
        .collect(toImmutableList());
  }

  private static int number(HloInstruction parameter) {
    return ((Parameter) parameter.op()).number();
  }

  private static HloComputation renumbered(
      HloComputation old,
      ImmutableList<HloInstruction> instructions,
      HloInstruction root,
      ImmutableList<Integer> kept) {
    Map<HloInstruction, HloInstruction> copies = new HashMap<>();
    List<HloInstruction> all = new ArrayList<>();
    for (HloInstruction each : instructions) {
      HloInstruction copy =
          each.op() instanceof Parameter parameter
              ? Rewrite.copy(
                  each,
                  new Parameter(kept.indexOf(parameter.number()), parameter.shape()),
                  List.of(),
                  List.of())
              : each.withOperands(
                  each.operands().stream().map(o -> copies.getOrDefault(o, o)).toList());
      copies.put(each, copy);
      all.add(copy);
    }
    return HloComputation.create(
        old.name(), all, copies.getOrDefault(root, root), old.executionThread());
  }
}
