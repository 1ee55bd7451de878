package org.hlo4j.interpreter.reference;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.ScalarBodies;

/**
 * Reduces arrays to one array, element by element: {@code result[i] = body(...
 * body(body(arrays[0][i], arrays[1][i]), arrays[2][i]) ..., arrays[n][i])}.
 *
 * <p>It is written as a computation on whole arrays, so that both evaluators compute the same in
 * their own way. It accumulates in the type of the body's result. A plain sum of floats narrower
 * than f32 is accumulated in f32. The result is rounded once to the type of the arrays.
 */
final class ArrayReduction {
  /** The number of arrays that are read in one loop. */
  private static final int ARRAYS_IN_A_LOOP = 8;

  /** The computation of a loop; the first of the arrays may be what was accumulated before. */
  private record Loop(
      HloComputation body, ElementType accumulator, ElementType result, List<Shape.Array> arrays) {}

  private ArrayReduction() {}

  /** Returns the reduction of one or several arrays of the same shape. */
  static Literal reduce(HloComputation body, List<Literal> arrays, Execution execution) {
    ElementType type = arrays.get(0).elementType();
    if (arrays.size() == 1 || arrays.get(0).elementCount() == 0) {
      return arrays.get(0);
    }
    if (new Effects().containsEffect(body)) {
      return callByCall(body, arrays, execution);
    }
    ElementType accumulator = accumulator(body, arrays.get(0));
    Literal accumulated = arrays.get(0);
    for (int next = 1; next < arrays.size(); next += ARRAYS_IN_A_LOOP - 1) {
      int end = Math.min(next + ARRAYS_IN_A_LOOP - 1, arrays.size());
      List<Literal> in =
          Lists.asList(accumulated, arrays.subList(next, end).toArray(Literal[]::new));
      Loop loop =
          new Loop(
              body,
              accumulator,
              end == arrays.size() ? type : accumulator,
              in.stream().map(Literal::arrayShape).toList());
      boolean[] overwritable = new boolean[in.size()];
      overwritable[0] = next > 1;
      accumulated =
          execution.compute(
              loop, () -> computation(loop), overwritable, in.toArray(Literal[]::new));
    }
    return accumulated;
  }

  private static ElementType accumulator(HloComputation body, Literal array) {
    ElementType type = ((Shape.Array) body.root().shape()).elementType();
    boolean isNarrow = type.isWithin(ElementType.F32) && type.isFloating();
    return isNarrow && Reductions.isPlainSum(body, array) ? ElementType.F32 : type;
  }

  /** Calls the body for each element, as often and in the order that its effects are promised. */
  private static Literal callByCall(
      HloComputation body, List<Literal> arrays, Execution execution) {
    Shape.Array shape = arrays.get(0).arrayShape();
    Shape.Array wide = shape.withElementType(((Shape.Array) body.root().shape()).elementType());
    Literal accumulated = Conversions.convert(arrays.get(0), wide);
    for (Literal next : arrays.subList(1, arrays.size())) {
      List<Literal> pair = List.of(accumulated, Conversions.convert(next, wide));
      accumulated = Windows.map(pair, wide, body, execution);
    }
    return Conversions.convert(accumulated, shape);
  }

  private static HloComputation computation(Loop loop) {
    Writer inside = new Writer(loop.arrays);
    HloInstruction accumulated = inside.converted(inside.written.get(0), loop.accumulator);
    for (int i = 1; i < loop.arrays.size(); i++) {
      HloInstruction next = inside.converted(inside.written.get(i), loop.accumulator);
      accumulated = inside.applied(loop.body, List.of(accumulated, next));
    }
    HloInstruction root = inside.converted(accumulated, loop.result);
    HloComputation computation = HloComputation.create("reduction", inside.written, root);
    if (!ScalarBodies.isElementwise(loop.body)) {
      return computation;
    }
    Writer outside = new Writer(loop.arrays);
    HloInstruction fused =
        outside.add(
            new Fusion(Fusion.Kind.LOOP), List.copyOf(outside.written), List.of(computation));
    return HloComputation.create("reductions", outside.written, fused);
  }

  /** The instructions of a computation that is being written. */
  private static final class Writer {
    final List<HloInstruction> written = new ArrayList<>();

    /** Begins with a parameter for each array. */
    Writer(List<Shape.Array> arrays) {
      for (int i = 0; i < arrays.size(); i++) {
        add(new Parameter(i, arrays.get(i)), List.of(), List.of());
      }
    }

    HloInstruction add(Op op, List<HloInstruction> operands, List<HloComputation> called) {
      String name = op.opcode() + "." + written.size();
      Shape shape = op.infer(HloInstruction.inputs(operands, called));
      HloInstruction added =
          HloInstruction.create(name, op, operands, called, shape, Metadata.NONE);
      written.add(added);
      return added;
    }

    HloInstruction converted(HloInstruction value, ElementType type) {
      return ((Shape.Array) value.shape()).elementType() == type
          ? value
          : add(new Convert(type), List.of(value), List.of());
    }

    /**
     * Writes the body's ops on whole arrays, or a map if there are others than element-wise ones.
     */
    HloInstruction applied(HloComputation body, List<HloInstruction> pair) {
      Dims sizes = ((Shape.Array) pair.get(0).shape()).sizes();
      return ScalarBodies.isElementwise(body)
          ? ScalarBodies.onArrays(body, pair, sizes, (op, operands) -> add(op, operands, List.of()))
              .get(0)
          : add(new Map(Dims.of()), pair, ImmutableList.of(body));
    }
  }
}
