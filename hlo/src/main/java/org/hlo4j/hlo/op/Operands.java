package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/**
 * The inputs of a shape rule: operand shapes and the signatures of called computations.
 *
 * @param shapes the operands' shapes
 * @param called the signatures of the computations called
 */
public record Operands(ImmutableList<Shape> shapes, ImmutableList<ProgramShape> called) {
  /**
   * Returns an operand that must be an array.
   *
   * @param index which operand
   * @param role what the op calls it, such as {@code lhs}
   * @return its shape
   * @throws org.hlo4j.hlo.HloException if it is not an array, or there is none
   */
  public Shape.Array array(int index, String role) {
    return requireArray(operand(index, role), role);
  }

  /**
   * Returns an operand that must be a tuple.
   *
   * @param index which operand
   * @param role what the op calls it
   * @return its shape
   * @throws org.hlo4j.hlo.HloException if it is not a tuple, or there is none
   */
  public Shape.Tuple tuple(int index, String role) {
    Shape got = operand(index, role);
    require(got instanceof Shape.Tuple, "", "%s got %s, want a tuple", role, got);
    return (Shape.Tuple) got;
  }

  /**
   * Refuses an operand that is not a token.
   *
   * @param index which operand
   * @param role what the op calls it
   * @throws org.hlo4j.hlo.HloException if it is not a token
   */
  void requireToken(int index, String role) {
    Shape got = shapes.get(index);
    require(got instanceof Shape.Token, "", "%s got %s, want token[]", role, got);
  }

  private Shape operand(int index, String role) {
    require(
        index >= 0 && index < shapes.size(),
        "",
        "%s got operand number %s, want one of %s operands",
        role,
        index,
        shapes.size());
    return shapes.get(index);
  }

  static Shape.Array requireArray(Shape shape, String role) {
    require(shape instanceof Shape.Array, "", "%s got %s, want an array", role, shape);
    return (Shape.Array) shape;
  }
}
