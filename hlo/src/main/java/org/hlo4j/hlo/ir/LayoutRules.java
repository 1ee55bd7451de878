package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.OptBarrier;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * The rule that ops that only forward values keep their layouts. An array without a layout has the
 * default one. Source of the list of ops: the shape check of XLA's verifier when it is sensitive to
 * layouts.
 */
final class LayoutRules {
  private LayoutRules() {}

  static void check(HloInstruction instruction) {
    handedOn(instruction)
        .ifPresent(want -> requireSame(instruction, "result", instruction.shape(), want));
    switch (instruction.op()) {
      case While op -> {
        instruction.called().forEach(called -> checkArguments(instruction, called));
        requireSame(
            instruction,
            "root of body",
            instruction.called().get(1).root().shape(),
            instruction.shape());
      }
      case Call op -> checkArguments(instruction, instruction.called().get(0));
      case Conditional op -> {
        for (HloComputation branch : instruction.called()) {
          requireSame(
              instruction, "root of " + branch.name(), branch.root().shape(), instruction.shape());
        }
      }
      default -> {}
    }
  }

  /**
   * Returns the shape of the forwarded value; empty if the instruction is not one that only
   * forwards.
   */
  private static Optional<Shape> handedOn(HloInstruction instruction) {
    ImmutableList<HloInstruction> operands = instruction.operands();
    return switch (instruction.op()) {
      case GetTupleElement op ->
          Optional.of(((Shape.Tuple) operands.get(0).shape()).elements().get(op.index()));
      case Tuple op ->
          Optional.of(
              new Shape.Tuple(
                  operands.stream()
                      .map(HloInstruction::shape)
                      .collect(ImmutableList.toImmutableList())));
      case OptBarrier op -> Optional.of(operands.get(0).shape());
      case DynamicUpdateSlice op -> Optional.of(operands.get(0).shape());
      case While op -> Optional.of(operands.get(0).shape());
      case Call op -> Optional.of(instruction.called().get(0).root().shape());
      default -> Optional.empty();
    };
  }

  private static void checkArguments(HloInstruction instruction, HloComputation called) {
    for (int i = 0; i < called.parameters().size(); i++) {
      requireSame(
          instruction,
          "parameter " + i + " of " + called.name(),
          called.parameters().get(i).shape(),
          instruction.operands().get(i).shape());
    }
  }

  private static void requireSame(HloInstruction instruction, String what, Shape got, Shape want) {
    require(
        got.withDefaultLayout().equals(want.withDefaultLayout()),
        "",
        "%s: layout of the %s got %s, want %s",
        instruction.op().opcode(),
        what,
        got.withDefaultLayout(),
        want.withDefaultLayout());
  }
}
