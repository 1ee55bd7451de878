package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * The shape rule that the batch-norm ops share: an array of floats with a feature dimension, and
 * vectors with one value for each feature.
 *
 * @param op the name in labels, such as {@code batch_norm_training}
 * @param dimension the feature dimension
 */
record BatchNormRule(String op, int dimension) {
  /** Returns the operand; refuses one that is not floats, or has no such dimension. */
  Shape.Array operand(Operands in) {
    Shape.Array operand = (Shape.Array) in.array(0, "operand").withoutLayout();
    requireDimension(
        dimension,
        operand.rank(),
        op + " C1",
        "feature_index got %s, want a dimension of %s",
        dimension,
        operand);
    require(
        operand.elementType().isFloating(),
        op + " C2",
        "element type of operand got %s, want float",
        operand.elementType());
    return operand;
  }

  /** Returns the shape of a vector of one value for each feature. */
  Shape.Array vector(Shape.Array operand) {
    return operand.select(Dims.of(dimension));
  }

  /** Refuses an operand that is not such a vector. */
  void check(Operands in, int index, String role, String label, Shape.Array operand) {
    Shape.Array got = in.array(index, role);
    Shape.Array want = vector(operand);
    require(
        got.elementType() == want.elementType(),
        op + " C2",
        "element type of %s got %s, want that of operand, %s",
        role,
        got,
        operand);
    require(
        got.sizes().equals(want.sizes()),
        op + " " + label,
        "%s got %s, want %s: a value for each index of dimension %s of operand %s",
        role,
        got,
        want,
        dimension,
        operand);
  }
}
