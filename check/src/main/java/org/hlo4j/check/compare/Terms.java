package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import org.hlo4j.check.part.Computed;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The terms that meet in each element of a sum or product, computed by the op itself in f64: of
 * other terms, such as their magnitudes, which do not cancel, or ones, which count them.
 */
final class Terms {
  /** The magnitude; 0 if not finite, which determines the sum by itself. */
  static final DoubleUnaryOperator MAGNITUDE = x -> Double.isFinite(x) ? Math.abs(x) : 0;

  /** One for each term that rounds. */
  static final DoubleUnaryOperator COUNT = x -> x == 0 ? 0 : 1;

  /** The square; 0 if not finite. */
  static final DoubleUnaryOperator SQUARE = x -> Double.isFinite(x) ? x * x : 0;

  /** The magnitude of a factor above 1. */
  static final DoubleUnaryOperator LARGE = x -> Double.isFinite(x) ? Math.max(1, Math.abs(x)) : 1;

  /** The magnitude of a factor below 1, but for 0, which determines the product by itself. */
  static final DoubleUnaryOperator SMALL = x -> x != 0 && Math.abs(x) < 1 ? Math.abs(x) : 1;

  private final HloInstruction instruction;
  private final List<Literal> operands;

  /**
   * Creates the terms of an instruction.
   *
   * @param instruction a contraction, or a reduction, window or scatter
   * @param output which of its results
   * @param operands the values of its operands
   */
  Terms(HloInstruction instruction, int output, List<Literal> operands) {
    this.instruction = instruction;
    this.operands = of(instruction.op(), output, operands);
  }

  /** Returns the operands that one result of several is computed from. */
  private static List<Literal> of(Op op, int output, List<Literal> operands) {
    int count = operands.size() / 2;
    return switch (op) {
      case Contraction _, SelectAndScatter _ -> operands;
      case Scatter _ ->
          List.of(operands.get(output), operands.get(count), operands.get(count + 1 + output));
      default -> List.of(operands.get(output), operands.get(count + output));
    };
  }

  /** Returns the sums of other terms. */
  Literal sums(DoubleUnaryOperator term) {
    return combined(Elementwise.Kind.ADD, term);
  }

  /** Returns the products of other factors. */
  Literal products(DoubleUnaryOperator factor) {
    return combined(Elementwise.Kind.MULTIPLY, factor);
  }

  private Literal combined(Elementwise.Kind kind, DoubleUnaryOperator term) {
    List<Literal> values = new ArrayList<>();
    for (int i = 0; i < operands.size(); i++) {
      values.add(
          isTerm(i) ? replaced(operands.get(i), isChosen(i) ? x -> x : term) : operands.get(i));
    }
    Op op = inDouble(instruction.op());
    return Computed.of(op, op instanceof Contraction ? List.of() : called(kind), values);
  }

  /** Returns whether an operand is added, and no index. */
  private boolean isTerm(int operand) {
    boolean isIndex = instruction.op() instanceof Scatter && operand == 1;
    boolean isSize = instruction.op() instanceof RaggedDot && operand == 2;
    return !isIndex && !isSize;
  }

  /** Returns whether the operand only decides which terms meet. */
  private boolean isChosen(int operand) {
    return instruction.op() instanceof SelectAndScatter && operand == 0;
  }

  private static Literal replaced(Literal value, DoubleUnaryOperator term) {
    boolean isComplex = value.elementType().isComplex();
    Literal wide = value.convertElementType(isComplex ? ElementType.C128 : ElementType.F64);
    return Literal.ofBits(
        value.arrayShape().withElementType(ElementType.F64),
        i ->
            Double.doubleToRawLongBits(
                term.applyAsDouble(
                    isComplex
                        ? Math.hypot(finite(wide, 2 * i), finite(wide, 2 * i + 1))
                        : wide.doubleAt(i))));
  }

  private static double finite(Literal value, int component) {
    double number = ElementType.F64.decode(value.bitsAt(component));
    return Double.isFinite(number) ? number : 0;
  }

  /** Returns the op as it is on f64: without another precision or type of the result. */
  private static Op inDouble(Op op) {
    return OpSchema.with(
        op,
        (name, value) ->
            switch (value) {
              case Optional<?> _ -> Optional.empty();
              case ImmutableList<?> _ -> ImmutableList.of();
              default -> value;
            });
  }

  private List<HloComputation> called(Elementwise.Kind kind) {
    HloComputation combiner = combiner(kind);
    return instruction.op() instanceof SelectAndScatter
        ? List.of(Widened.of(instruction.called().get(0)), combiner)
        : List.of(combiner);
  }

  private static HloComputation combiner(Elementwise.Kind kind) {
    Shape scalar = Shape.of(ElementType.F64);
    HloInstruction x = HloInstruction.of("terms.combiner.x", new Parameter(0, scalar));
    HloInstruction y = HloInstruction.of("terms.combiner.y", new Parameter(1, scalar));
    HloInstruction both = HloInstruction.of("terms.combiner.both", new Elementwise(kind), x, y);
    return HloComputation.create("terms.combiner", List.of(x, y, both), both);
  }
}
