package org.hlo4j.interpreter.check;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Tuple;

/**
 * Whether XLA and StableHLO leave the result of a program to the implementation: they specify
 * reductions and scatters only for computations that are associative and commutative, reductions
 * only for an initial value that is the identity, and the order of equal keys only in a stable
 * sort.
 */
final class ImplementationDefined {
  private static final ImmutableSet<Elementwise.Kind> COMMUTATIVE =
      Sets.immutableEnumSet(
          Elementwise.Kind.ADD,
          Elementwise.Kind.MULTIPLY,
          Elementwise.Kind.MAXIMUM,
          Elementwise.Kind.MINIMUM,
          Elementwise.Kind.AND,
          Elementwise.Kind.OR,
          Elementwise.Kind.XOR);

  private ImplementationDefined() {}

  static boolean isIn(HloModule module) {
    return module.computations().stream()
        .flatMap(each -> each.instructions().stream())
        .anyMatch(each ->
            (combines(each.op()) && !isSpecified(each))
                || (each.op() instanceof Sort sort && !sort.isStable()));
  }

  private static boolean combines(Op op) {
    return op instanceof Reduce
        || op instanceof ReduceWindow
        || op instanceof Scatter
        || op instanceof SelectAndScatter;
  }

  private static boolean isSpecified(HloInstruction instruction) {
    HloComputation combiner = instruction.called().get(instruction.called().size() - 1);
    HloInstruction root = combiner.root();
    List<HloInstruction> results = root.op() instanceof Tuple ? root.operands() : List.of(root);
    int count = combiner.parameters().size() / 2;
    List<HloInstruction> operands = instruction.operands();
    for (int i = 0; i < results.size(); i++) {
      if (i >= count || !isCommutative(results.get(i), combiner.parameters(), i, i + count)) {
        return false;
      }
      HloInstruction initial = operands.get(operands.size() - count + i);
      if (!(instruction.op() instanceof Scatter) && !isIdentity(results.get(i), initial)) {
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

  private static boolean isIdentity(HloInstruction result, HloInstruction initial) {
    return result.op() instanceof Elementwise op
        && initial.op() instanceof Constant constant
        && op.kind()
            .identity(constant.literal().elementType())
            .filter(identity -> identity.equals(constant.literal()))
            .isPresent();
  }
}
