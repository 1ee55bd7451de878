package org.hlo4j.check.compare;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Topk;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * Whether XLA and StableHLO leave the result of a program to the implementation: they specify
 * reductions and scatters only for computations that are associative and commutative, reductions
 * only for an initial value that is the identity, sorts only for an order, and equal keys only if
 * the sort is stable. Neither the sign nor the other bits of a NaN are specified, nor its place in
 * an order.
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

  static boolean isIn(Program program) {
    List<HloInstruction> all =
        program.module().computations().stream()
            .flatMap(each -> each.instructions().stream())
            .toList();
    return all.stream().anyMatch(ImplementationDefined::isUnspecified)
        || seesNaN(
            program,
            all.stream()
                .filter(each -> asksForBits(each.op()))
                .flatMap(each -> each.operands().stream())
                .filter(each -> each.shape() instanceof Shape.Array array && isFloat(array))
                .collect(toImmutableSet()));
  }

  /** Returns whether an op gives NaNs a place in an order, or reads their bits. */
  private static boolean asksForBits(Op op) {
    return op instanceof Sort
        || op instanceof Topk
        || op instanceof SelectAndScatter
        || op instanceof BitcastConvert
        || (op instanceof Compare compare
            && compare.type().equals(Optional.of(Compare.Type.TOTALORDER)));
  }

  private static boolean isFloat(Shape.Array array) {
    return array.elementType().componentType().isFloating();
  }

  private static boolean isUnspecified(HloInstruction instruction) {
    return instruction.op() instanceof Sort sort
        ? !sort.isStable() || !isOrder(instruction.called().get(0))
        : combines(instruction.op()) && !isSpecified(instruction);
  }

  /** Returns whether a value of some instructions has a NaN when the reference runs a program. */
  private static boolean seesNaN(Program program, Set<HloInstruction> instructions) {
    if (instructions.isEmpty()) {
      return false;
    }
    AtomicBoolean found = new AtomicBoolean();
    program.run(
        Interpreter::reference,
        EvaluatorOptions.builder()
            .valueListener((device, instruction, value) -> {
              if (instructions.contains(instruction) && hasNaN(value)) {
                found.set(true);
              }
            })
            .build());
    return found.get();
  }

  private static boolean hasNaN(Literal value) {
    ElementType part = value.elementType().componentType();
    int parts = value.elementType().isComplex() ? 2 : 1;
    return IntStream.range(0, parts * value.elementCount())
        .anyMatch(i -> Double.isNaN(part.decode(value.bitsAt(i))));
  }

  /** Returns whether a comparator asks whether one key is less, or greater, than the other. */
  private static boolean isOrder(HloComputation comparator) {
    HloInstruction root = comparator.root();
    return root.op() instanceof Compare compare
        && (compare.direction() == Compare.Direction.LT
            || compare.direction() == Compare.Direction.GT)
        && root.operands().get(0).op() instanceof Parameter left
        && root.operands().get(1).op() instanceof Parameter right
        && (left.number() ^ right.number()) == 1;
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
