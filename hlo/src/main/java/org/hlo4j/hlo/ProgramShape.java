package org.hlo4j.hlo;

import com.google.common.collect.ImmutableList;
import java.util.stream.Collectors;

/**
 * What a computation takes and gives, without how.
 *
 * @param parameters the shapes of its parameters, in order of their numbers
 * @param result the shape of its result
 */
public record ProgramShape(ImmutableList<Shape> parameters, Shape result) {
  /**
   * Whether all shapes are the same but for layouts.
   *
   * @param other the other
   * @return whether they are
   */
  public boolean compatible(ProgramShape other) {
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
