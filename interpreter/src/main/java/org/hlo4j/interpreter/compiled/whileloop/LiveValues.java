package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;

/** The values of a computation whose code is being written, and which are still wanted. */
final class LiveValues {
  private final HloComputation computation;
  private final ImmutableList<HloInstruction> order;
  private final Map<HloInstruction, Integer> lastUses = new HashMap<>();
  private final Map<HloInstruction, Integer> users = new HashMap<>();
  private final Map<HloInstruction, Operand> items = new HashMap<>();
  private int position;

  LiveValues(HloComputation computation) {
    this.computation = computation;
    this.order = order(computation);
    for (int i = 0; i < order.size(); i++) {
      for (HloInstruction operand : Set.copyOf(order.get(i).operands())) {
        lastUses.put(operand, i);
        users.merge(operand, 1, Integer::sum);
      }
    }
    lastUses.put(computation.root(), order.size());
  }

  /** Elements of tuples first, so that the tuple itself is not wanted any more. */
  private static ImmutableList<HloInstruction> order(HloComputation computation) {
    List<HloInstruction> all = computation.instructions();
    return Stream.concat(
            all.stream().filter(LiveValues::isFirst), all.stream().filter(each -> !isFirst(each)))
        .collect(ImmutableList.toImmutableList());
  }

  private static boolean isFirst(HloInstruction instruction) {
    return instruction.op() instanceof Parameter
        || (instruction.op() instanceof GetTupleElement && isFirst(instruction.operands().get(0)));
  }

  /** The instructions in an order in which operands come first. */
  ImmutableList<HloInstruction> order() {
    return order;
  }

  /** The operands of an instruction, whose code is written now. */
  List<Operand> operands(HloInstruction instruction) {
    return instruction.operands().stream()
        .map(operand -> Objects.requireNonNull(items.get(operand)))
        .toList();
  }

  /** Sets the value of the next instruction. */
  void put(HloInstruction instruction, Operand item) {
    items.put(instruction, item);
    position++;
  }

  /** The result. */
  Operand root() {
    return Objects.requireNonNull(items.get(computation.root()));
  }

  /** Whether more than one instruction uses a value. */
  boolean isShared(HloInstruction instruction) {
    return users.getOrDefault(instruction, 0) > 1;
  }

  /** What is wanted behind the instruction whose code is written now. */
  Stream<Operand.Leaf> wanted() {
    return items.entrySet().stream()
        .filter(each -> isWanted(each.getKey()))
        .flatMap(each -> each.getValue().leaves());
  }

  /** Puts other values in the place of those that are wanted. */
  void replaceWanted(UnaryOperator<Operand.Leaf> leaves) {
    items.replaceAll((instruction, item) -> isWanted(instruction) ? item.map(leaves) : item);
  }

  private boolean isWanted(HloInstruction instruction) {
    return lastUses.getOrDefault(instruction, -1) > position;
  }
}
