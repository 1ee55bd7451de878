package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;

/**
 * The rule that no comparator orders complex numbers: XLA cannot compile such a sort, and compares
 * real parts alone in a select-and-scatter. A compare outside a comparator is lexicographic.
 */
final class ComplexOrder {
  private ComplexOrder() {}

  static void check(HloInstruction instruction) {
    if (instruction.op() instanceof Sort || instruction.op() instanceof SelectAndScatter) {
      checkComparator(instruction.op().opcode(), instruction.called().get(0));
    }
  }

  private static void checkComparator(String opcode, HloComputation comparator) {
    Deque<HloComputation> computations = new ArrayDeque<>();
    Set<HloComputation> seen = new HashSet<>();
    computations.add(comparator);
    while (!computations.isEmpty()) {
      for (HloInstruction each : computations.remove().instructions()) {
        require(
            !ordersComplex(each),
            "compare X1",
            "%s: comparator %s got an order of complex numbers, want EQ or NE: %s",
            opcode,
            comparator.name(),
            each);
        each.called().stream().filter(seen::add).forEach(computations::add);
      }
    }
  }

  private static boolean ordersComplex(HloInstruction instruction) {
    return instruction.op() instanceof Compare compare
        && compare.direction() != Compare.Direction.EQ
        && compare.direction() != Compare.Direction.NE
        && !instruction.operands().isEmpty()
        && instruction.operands().get(0).shape() instanceof Shape.Array array
        && array.elementType().isComplex();
  }
}
