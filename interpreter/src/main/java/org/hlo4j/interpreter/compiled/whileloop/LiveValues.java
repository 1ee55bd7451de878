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

/** The values of a computation whose code is being written, and their liveness. */
final class LiveValues {
  private final HloComputation computation;
  private final ImmutableList<HloInstruction> order;
  private final Map<HloInstruction, Integer> lastUses = new HashMap<>();
  private final Map<HloInstruction, Integer> users = new HashMap<>();
  private final Map<HloInstruction, Operand> items = new HashMap<>();
  private int position;

  /**
   * Creates the values of a computation, none at first.
   *
   * @param keepsArguments whether the values of the parameters are live to the end, and after it
   */
  LiveValues(HloComputation computation, boolean keepsArguments) {
    this.computation = computation;
    this.order = order(computation);
    for (int i = 0; i < order.size(); i++) {
      for (HloInstruction operand : Set.copyOf(order.get(i).operands())) {
        lastUses.put(operand, i);
        users.merge(operand, 1, Integer::sum);
      }
    }
    lastUses.put(computation.root(), order.size());
    if (keepsArguments) {
      computation.parameters().forEach(parameter -> lastUses.put(parameter, order.size()));
    }
  }

  /**
   * Returns the instructions with parameters and elements of their tuples first, so that the tuples
   * are dead early.
   */
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

  /** Returns the instructions in an order in which operands come first. */
  ImmutableList<HloInstruction> order() {
    return order;
  }

  /** Returns the values of the operands of the instruction whose code is being written. */
  List<Operand> operands(HloInstruction instruction) {
    return instruction.operands().stream()
        .map(operand -> Objects.requireNonNull(items.get(operand)))
        .toList();
  }

  /** Sets the value of an instruction, the next one in order. */
  void put(HloInstruction instruction, Operand item) {
    items.put(instruction, item);
    position++;
  }

  /** Returns the value of the root. */
  Operand root() {
    return Objects.requireNonNull(items.get(computation.root()));
  }

  /** Returns whether more than one instruction uses a value. */
  boolean isShared(HloInstruction instruction) {
    return users.getOrDefault(instruction, 0) > 1;
  }

  /** Returns the values that are live after the instruction whose code is being written. */
  Stream<Operand.Leaf> liveLeaves() {
    return items.entrySet().stream()
        .filter(each -> isLive(each.getKey()))
        .flatMap(each -> each.getValue().leaves());
  }

  /** Replaces the values that are live after the instruction whose code is being written. */
  void replaceLiveLeaves(UnaryOperator<Operand.Leaf> leaves) {
    items.replaceAll((instruction, item) -> isLive(instruction) ? item.map(leaves) : item);
  }

  private boolean isLive(HloInstruction instruction) {
    return lastUses.getOrDefault(instruction, -1) > position;
  }
}
