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
  /** As {@code (f32[], f32[]) -> f32[]}. */
  @Override
  public String toString() {
    return parameters.stream().map(Shape::toString).collect(Collectors.joining(", ", "(", ")"))
        + " -> "
        + result;
  }
}
