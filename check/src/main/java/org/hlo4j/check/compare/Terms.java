package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.hlo4j.check.part.Computed;
import org.hlo4j.check.part.Draft;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * The terms that meet in each element of a sum or product, computed by the op itself in f64: of
 * their magnitudes, which do not cancel, or of ones, which count them. What is not finite
 * determines the result by itself, and is 0 here.
 *
 * @param instruction a contraction, or a reduction, window or scatter
 * @param output which of its results
 * @param operands the values of its operands
 */
record Terms(HloInstruction instruction, int output, List<Literal> operands) {
  /** Returns the sums of other terms. */
  Literal sums(DoubleUnaryOperator term) {
    return combined(Elementwise.Kind.ADD, term);
  }

  /** Returns the products of other factors. */
  Literal products(DoubleUnaryOperator factor) {
    return combined(Elementwise.Kind.MULTIPLY, factor);
  }

  private Literal combined(Elementwise.Kind kind, DoubleUnaryOperator term) {
    Op op = OpSchema.with(instruction.op(), (name, value) -> inDouble(value));
    int half = operands.size() / 2;
    IntFunction<Literal> terms = i -> terms(operands.get(i), term);
    HloComputation combiner = combiner(kind);
    List<HloComputation> called =
        op instanceof Contraction
            ? List.of()
            : op instanceof SelectAndScatter
                ? List.of(onDoubles(instruction.called().get(0)), combiner)
                : List.of(combiner);
    return Computed.of(
        op,
        called,
        switch (op) {
          case RaggedDot _ -> List.of(terms.apply(0), terms.apply(1), operands.get(2));
          case Contraction _ -> IntStream.range(0, operands.size()).mapToObj(terms).toList();
          case SelectAndScatter _ ->
              List.of(
                  operands.get(0).convertElementType(ElementType.F64),
                  terms.apply(1),
                  terms.apply(2));
          case Scatter _ ->
              List.of(terms.apply(output), operands.get(half), terms.apply(half + 1 + output));
          default -> List.of(terms.apply(output), terms.apply(half + output));
        });
  }

  /** Returns an attribute as it is on f64: no other precision, and no type of the result. */
  private static Object inDouble(Object attribute) {
    return switch (attribute) {
      case Optional<?> _ -> Optional.empty();
      case ImmutableList<?> _ -> ImmutableList.of();
      default -> attribute;
    };
  }

  private static Literal terms(Literal value, DoubleUnaryOperator term) {
    boolean isReal = !value.elementType().isComplex();
    Bounds parts = new Bounds(isReal ? value.convertElementType(ElementType.F64) : value);
    double[] numbers = parts.values;
    Arrays.setAll(numbers, i -> Double.isFinite(numbers[i]) ? numbers[i] : 0);
    return Literal.ofBits(
        value.arrayShape().withElementType(ElementType.F64),
        i -> Double.doubleToRawLongBits(term.applyAsDouble(parts.modulus(i))));
  }

  /** Returns a computation of doubles that calls one with what they are in its types. */
  private static HloComputation onDoubles(HloComputation called) {
    Draft draft = Draft.entry(ImmutableList.of());
    List<HloInstruction> given = new ArrayList<>();
    for (HloInstruction each : called.parameters()) {
      Op parameter = new Parameter(given.size(), Shape.of(ElementType.F64));
      Op narrow = new Convert(each.arrayShape().elementType());
      given.add(draft.add("terms.narrow", narrow, draft.add("terms.double", parameter)));
    }
    HloInstruction root = draft.add("terms.called", new Call(), given, List.of(called));
    return HloComputation.create("terms.on.doubles", draft.instructions(), root);
  }

  private static HloComputation combiner(Elementwise.Kind kind) {
    Shape scalar = Shape.of(ElementType.F64);
    HloInstruction x = HloInstruction.of("terms.combiner.x", new Parameter(0, scalar));
    HloInstruction y = HloInstruction.of("terms.combiner.y", new Parameter(1, scalar));
    HloInstruction both = HloInstruction.of("terms.combiner.both", new Elementwise(kind), x, y);
    return HloComputation.create("terms.combiner", List.of(x, y, both), both);
  }
}
