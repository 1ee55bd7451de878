package org.hlo4j.builder;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Scatter;

/** The ops of a builder that combine parts of several arrays. */
abstract class IndexingFactory extends ControlFlowFactory {
  /**
   * Concatenates arrays along a dimension.
   *
   * @param operands the arrays, of the same element type, and the same sizes but in that dimension
   * @param dimension the dimension
   * @return the array
   * @throws HloException if there is none, or types, ranks or sizes are incompatible
   */
  public XlaOp concatInDim(List<XlaOp> operands, int dimension) {
    return apply(Concatenate.along(dimension), operands);
  }

  /**
   * Combines windows of updates into several arrays at once, at start indices given by index
   * vectors.
   *
   * @param inputs N arrays of the same sizes
   * @param scatterIndices the index vectors, integers
   * @param updates N arrays of the same sizes, of the element types of the inputs
   * @param body from N elements of the inputs and N of the updates to a tuple of N new elements, or
   *     to one if N is 1
   * @param scatter which dimension goes where
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if dimensions, sizes, types or the body's signature are incompatible
   */
  public XlaOp scatter(
      List<XlaOp> inputs,
      XlaOp scatterIndices,
      List<XlaOp> updates,
      HloComputation body,
      Scatter scatter) {
    return apply(scatter, joined(inputs, scatterIndices, updates), Collections.singletonList(body));
  }

  /**
   * Combines windows of updates into several arrays at once, with a computation given as a lambda.
   *
   * @param inputs N arrays of the same sizes
   * @param scatterIndices the index vectors, integers
   * @param updates N arrays of the same sizes, of the element types of the inputs
   * @param body from N elements of the inputs and N of the updates to a tuple of N new elements, or
   *     to one if N is 1
   * @param scatter which dimension goes where
   * @return the tuple of N arrays, or one array if N is 1
   * @throws HloException if dimensions, sizes, types or the body's result are incompatible
   */
  public XlaOp scatter(
      List<XlaOp> inputs,
      XlaOp scatterIndices,
      List<XlaOp> updates,
      ComputationBody body,
      Scatter scatter) {
    return guarded(
        "scatter",
        joined(inputs, scatterIndices, updates),
        () -> {
          List<Shape> scalars = new ArrayList<>();
          inputs.forEach(input -> scalars.add(scalar(input)));
          inputs.forEach(input -> scalars.add(scalar(input)));
          HloComputation region = computation("region", scalars, body, HAND_IN);
          return scatter(inputs, scatterIndices, updates, region, scatter);
        });
  }

  private static Shape scalar(XlaOp input) {
    return Shape.of(input.arrayShape("scatter").elementType());
  }

  private static List<XlaOp> joined(List<XlaOp> inputs, XlaOp indices, List<XlaOp> updates) {
    List<XlaOp> all = new ArrayList<>(inputs);
    all.add(indices);
    all.addAll(updates);
    return all;
  }
}
