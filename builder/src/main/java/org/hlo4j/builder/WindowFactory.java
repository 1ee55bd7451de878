package org.hlo4j.builder;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Window;

/** The ops with several operands that reduce dimensions or slide a {@link Window}, and map. */
abstract class WindowFactory extends RandomFactory {
  /**
   * Reduces dimensions of several arrays at once.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body the computation from N accumulators and N elements to a tuple of N accumulators, or
   *     to one if N is 1
   * @param dimensions the dimensions to reduce
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if shapes, dimensions or the body's signature are incompatible
   */
  public XlaOp reduce(
      List<XlaOp> operands, List<XlaOp> initValues, HloComputation body, long... dimensions) {
    return apply(
        new Reduce(Dims.of(dimensions)), concat(operands, initValues), Arrays.asList(body));
  }

  /**
   * Reduces dimensions of several arrays at once, with a computation given as a lambda.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body from N accumulators and N elements to a tuple of N accumulators, or one if N is 1
   * @param dimensions the dimensions to reduce
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if shapes, dimensions or the body's result are incompatible
   */
  public XlaOp reduce(
      List<XlaOp> operands, List<XlaOp> initValues, ComputationBody body, long... dimensions) {
    return guarded(
        "reduce",
        concat(operands, initValues),
        () -> {
          List<Shape> scalars = scalars("reduce", operands);
          List<Shape> twice =
              ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build();
          return reduce(
              operands, initValues, computation("region", twice, body, HAND_IN), dimensions);
        });
  }

  /**
   * Reduces the elements under a window, for several arrays at once, with a computation given as a
   * lambda.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body from N accumulators and N elements to a tuple of N accumulators, or one if N is 1
   * @param window the window, of the rank of the operands
   * @return the tuple of N arrays, or one array if N is 1, with one element for each window
   *     position
   * @throws HloException if shapes, window or the body's result are incompatible
   */
  public XlaOp reduceWindow(
      List<XlaOp> operands, List<XlaOp> initValues, ComputationBody body, Window window) {
    return guarded(
        "reduce-window",
        concat(operands, initValues),
        () -> {
          List<Shape> scalars = scalars("reduce-window", operands);
          List<Shape> twice =
              ImmutableList.<Shape>builder().addAll(scalars).addAll(scalars).build();
          return reduceWindow(
              operands, initValues, computation("region", twice, body, HAND_IN), window);
        });
  }

  /**
   * Reduces the elements under a window, for several arrays at once.
   *
   * @param operands N arrays of the same sizes
   * @param initValues N scalars of their element types
   * @param body the computation from N accumulators and N elements to a tuple of N accumulators, or
   *     to one if N is 1
   * @param window the window, of the rank of the operands
   * @return the tuple of N arrays, or one array if N is 1, with one element for each window
   *     position
   * @throws HloException if shapes, window or the body's signature are incompatible
   */
  public XlaOp reduceWindow(
      List<XlaOp> operands, List<XlaOp> initValues, HloComputation body, Window window) {
    return apply(new ReduceWindow(window), concat(operands, initValues), Arrays.asList(body));
  }

  private static List<XlaOp> concat(List<XlaOp> first, List<XlaOp> second) {
    return Arrays.asList(Iterables.toArray(Iterables.concat(first, second), XlaOp.class));
  }

  private static List<Shape> scalars(String opcode, List<XlaOp> operands) {
    return operands.stream()
        .<Shape>map(operand -> Shape.of(operand.arrayShape(opcode).elementType()))
        .toList();
  }

  /**
   * Applies a computation of scalars, written here, to the elements of several arrays: {@code
   * b.map(List.of(x, y), (inner, p) -> p.get(0).add(p.get(1)))}.
   *
   * @param operands arrays of the same sizes
   * @param body from an element of each to an element of the result
   * @return the op, of the operands' sizes
   * @throws HloException if shapes are incompatible, or the body does not give a scalar
   */
  public XlaOp map(List<XlaOp> operands, ComputationBody body) {
    return guarded(
        operands,
        () -> map(operands, computation("region", scalars("map", operands), body, HAND_IN)));
  }

  /**
   * Applies a ready computation of scalars to the elements of several arrays.
   *
   * @param operands arrays of the same sizes
   * @param body from an element of each to an element of the result
   * @return the op, of the operands' sizes
   * @throws HloException if shapes or the body's signature are incompatible
   */
  public XlaOp map(List<XlaOp> operands, HloComputation body) {
    return guarded(
        operands,
        () -> {
          int rank = operands.isEmpty() ? 0 : operands.get(0).arrayShape("map").rank();
          return apply(new Map(Dims.range(0, rank)), operands, Arrays.asList(body));
        });
  }
}
