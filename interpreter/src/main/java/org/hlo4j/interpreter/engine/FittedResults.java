package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.SizedInstruction.FittedResult;

/**
 * How the results of an op become those of an instruction.
 *
 * @param results one for each array of the result; none if they stay as they are
 * @param operands the operands of the instruction, as they were given
 */
public record FittedResults(ImmutableList<FittedResult> results, List<Literal> operands) {
  /** Results that stay as they are. */
  static final FittedResults NONE = new FittedResults(ImmutableList.of(), List.of());

  /** Returns the shape of the instruction's value, given that of the op's. */
  public Shape shape(Shape shape) {
    if (results.isEmpty()) {
      return shape;
    }
    return shape instanceof Shape.Tuple tuple
        ? new Shape.Tuple(
            IntStream.range(0, results.size())
                .mapToObj(i -> shape(tuple.elements().get(i), i))
                .collect(ImmutableList.toImmutableList()))
        : shape(shape, 0);
  }

  private Shape shape(Shape of, int result) {
    return ((Shape.Array) of).withSizes(results.get(result).sizes());
  }
}
