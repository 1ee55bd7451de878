package org.hlo4j.hlo;

import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;

/**
 * The signature of a computation: the shapes of its parameters and of its result.
 *
 * @param parameters the shapes of the parameters, in the order of their numbers
 * @param result the shape of its result
 */
public record ProgramShape(ImmutableList<Shape> parameters, Shape result) {
  /**
   * Returns whether all shapes are the same but for layouts.
   *
   * @param other the other
   * @return whether they are
   */
  public boolean compatible(ProgramShape other) {
    requireNonNull(other, "other");
    return new Shape.Tuple(parameters).compatible(new Shape.Tuple(other.parameters))
        && result.compatible(other.result);
  }

  /** As {@code (f32[], f32[]) -> f32[]}. */
  @Override
  public String toString() {
    return parameters.stream().map(Shape::toString).collect(Collectors.joining(", ", "(", ")"))
        + " -> "
        + result;
  }
}
