package org.hlo4j.interpreter.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Scan;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.WholeArrays;

/**
 * The scan op, which applies a computation along a dimension and carries values from step to step.
 */
final class Scans {
  private Scans() {}

  /** {@code (output[i]..., carry...) = body(input[i]..., carry...)} for i along the dimension. */
  static Literal scan(
      Scan op, List<Literal> in, Shape shape, HloInstruction instruction, Execution execution) {
    HloComputation body = instruction.called().get(0);
    boolean hasBounds = DynamicShapes.hasDynamicShape(instruction);
    int dimension = op.dimensions().getInt(0);
    List<Literal> inputs = in.subList(0, in.size() - op.numCarries());
    List<Literal> carries = in.subList(inputs.size(), in.size());
    List<Shape> results = shape instanceof Shape.Tuple all ? all.elements() : List.of(shape);
    List<LiteralBuilder> outputs =
        results.subList(0, results.size() - op.numCarries()).stream()
            .map(output -> new LiteralBuilder((Shape.Array) output))
            .toList();
    long steps = inputs.get(0).arrayShape().size(dimension);
    for (long step = 0; step < steps; step++) {
      long i = op.isReverse() ? steps - 1 - step : step;
      List<Literal> arguments = new ArrayList<>();
      inputs.forEach(input -> arguments.add(slice(input, dimension, i)));
      arguments.addAll(carries);
      List<Literal> entering =
          hasBounds ? entering(instruction, arguments, execution.wholeArrays()) : arguments;
      List<Literal> given = values(execution.call(body, entering));
      for (int k = 0; k < outputs.size(); k++) {
        put(outputs.get(k), ((Shape.Array) results.get(k)).sizes(), dimension, i, given.get(k));
      }
      carries = given.subList(outputs.size(), given.size());
    }
    List<Literal> values = new ArrayList<>(outputs.stream().map(LiteralBuilder::build).toList());
    values.addAll(carries);
    return shape instanceof Shape.Tuple ? Literal.tuple(values) : values.get(0);
  }

  /** Returns the elements of a tuple, or a single value that is in none. */
  private static List<Literal> values(Literal given) {
    return given.shape() instanceof Shape.Tuple ? given.elements() : List.of(given);
  }

  private static List<Literal> entering(
      HloInstruction scan, List<Literal> arguments, WholeArrays wholeArrays) {
    List<HloInstruction> parameters = scan.called().get(0).parameters();
    return IntStream.range(0, arguments.size())
        .mapToObj(
            i -> EnteringValues.of(scan, parameters.get(i).shape(), arguments.get(i), wholeArrays))
        .toList();
  }

  /** Returns the positions of slice i of a dimension. */
  private static int[] positions(Dims sizes, int dimension, long i) {
    int[] positions =
        Offsets.ofDimensions(Dims.range(0, sizes.count()).without(Dims.of(dimension)), sizes);
    int offset = (int) (i * sizes.rowMajorStrides().get(dimension));
    for (int k = 0; k < positions.length; k++) {
      positions[k] += offset;
    }
    return positions;
  }

  private static Literal slice(Literal input, int dimension, long i) {
    Dims sizes = input.arrayShape().sizes();
    int[] positions = positions(sizes, dimension, i);
    LiteralBuilder slice =
        new LiteralBuilder(input.arrayShape().withSizes(sizes.without(Dims.of(dimension))));
    for (int k = 0; k < positions.length; k++) {
      slice.copy(k, input, positions[k]);
    }
    return slice.build();
  }

  private static void put(LiteralBuilder output, Dims sizes, int dimension, long i, Literal slice) {
    int[] positions = positions(sizes, dimension, i);
    for (int k = 0; k < positions.length; k++) {
      output.copy(positions[k], slice, k);
    }
  }
}
