package org.hlo4j.interpreter.check;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Tuple;

/**
 * Whether a program leaves its result to the order in which a system combines elements: XLA
 * specifies reductions and scatters only for computations that are associative and commutative.
 */
final class OrderDependence {
  private static final ImmutableSet<Elementwise.Kind> COMMUTATIVE =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.MAXIMUM,
          Elementwise.Kind.MINIMUM,
          Elementwise.Kind.AND,
          Elementwise.Kind.OR,
          Elementwise.Kind.XOR);

  private OrderDependence() {}

  static boolean isIn(HloModule module) {
    return module.computations().stream()
        .flatMap(each -> each.instructions().stream())
        .filter(each -> combines(each.op()))
        .map(each -> each.called().get(each.called().size() - 1))
        .anyMatch(each -> !isCommutative(each));
  }

  private static boolean combines(Op op) {
    return op instanceof Reduce
        || op instanceof ReduceWindow
        || op instanceof Scatter
        || op instanceof SelectAndScatter;
  }

  private static boolean isCommutative(HloComputation computation) {
    HloInstruction root = computation.root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    int count = computation.parameters().size() / 2;
    for (int i = 0; i < results.size(); i++) {
      if (i >= count || !isCommutative(results.get(i), computation.parameters(), i, i + count)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isCommutative(
      HloInstruction result, List<HloInstruction> parameters, int left, int right) {
    Set<HloInstruction> operands = new HashSet<>(result.operands());
    return result.op() instanceof Elementwise op
        && COMMUTATIVE.contains(op.kind())
        && operands.equals(Set.of(parameters.get(left), parameters.get(right)));
  }
}
