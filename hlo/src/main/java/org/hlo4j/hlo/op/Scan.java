package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireDimension;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/**
 * Runs a computation along a dimension, with carried values from each step to the next.
 *
 * <p>Operands: inputs, then the initial carried values. The computation takes a slice of each
 * input, without the scanned dimension, and the carried values; it returns a tuple of slices of the
 * outputs, then the next carried values. The result is the tuple of the outputs, with the scanned
 * dimension, and the last carried values. The computation may return a single value without a
 * tuple; then the result is none either.
 *
 * <pre>
 *   (y, carry) = (x + carry, x + carry)
 *   x   1 2 3     init 0   -&gt;   y   1 3 6     carry 6
 * </pre>
 *
 * @param dimensions the single dimension to scan
 * @param numCarries the number of carried values
 * @param isReverse whether to scan from the end to the beginning
 * @param isAssociative whether a compiler may regroup the steps
 * @param shape the shape of a single result that is a tuple although the computation returns none,
 *     or the other way round; XLA writes both. Otherwise empty
 */
public record Scan(
    Dims dimensions,
    int numCarries,
    boolean isReverse,
    boolean isAssociative,
    Optional<Shape> shape)
    implements HigherOrder {
  /**
   * Creates a scan whose result is a tuple if the computation returns one.
   *
   * @param dimensions the single dimension to scan
   * @param numCarries the number of carried values
   * @param isReverse whether to scan from the end to the beginning
   * @param isAssociative whether a compiler may regroup the steps
   */
  public Scan(Dims dimensions, int numCarries, boolean isReverse, boolean isAssociative) {
    this(dimensions, numCarries, isReverse, isAssociative, Optional.empty());
  }

  @Override
  public String opcode() {
    return "scan";
  }

  @Override
  public Arity arity() {
    return Arity.atLeast(1);
  }

  @Override
  public ImmutableList<String> callees() {
    return ImmutableList.of("to_apply");
  }

  /**
   * Returns the shapes of what the computation takes: slices of the inputs, and carried values.
   *
   * @param operands the shapes of the operands
   * @return the shapes, without layouts
   */
  public ImmutableList<Shape> bodyArguments(List<Shape> operands) {
    ImmutableList.Builder<Shape> arguments = ImmutableList.builder();
    for (Shape.Array input :
        Iterables.filter(operands.subList(0, operands.size() - numCarries), Shape.Array.class)) {
      arguments.add(input.select(Dims.range(0, input.rank()).without(dimensions)));
    }
    return arguments
        .addAll(operands.subList(operands.size() - numCarries, operands.size()))
        .build();
  }

  @Override
  public Shape resultShape(Operands in) {
    int inputs = in.shapes().size() - numCarries;
    require(
        numCarries >= 0 && inputs >= 1,
        "scan S1",
        "num_carries got %s, want one from 0 to %s, to leave an input",
        numCarries,
        in.shapes().size() - 1);
    require(dimensions.count() == 1, "scan S2", "dimensions got %s, want just one", dimensions);
    Shape.Array first = in.array(0, "input 0");
    ImmutableList.Builder<Shape> parameters = ImmutableList.builder();
    for (int i = 0; i < inputs; i++) {
      parameters.add(slice(first, in.array(i, "input " + i), i));
    }
    List<Shape> carries = in.shapes().subList(inputs, in.shapes().size());
    Callee body = new Callee("to_apply", in.called().get(0));
    body.requireParameters("scan S4", parameters.addAll(carries).build());
    return formed(results(in.called().get(0), first, carries), in.called().get(0).result());
  }

  private Shape slice(Shape.Array first, Shape.Array input, int i) {
    requireDimension(
        dimensions.get(0),
        input.rank(),
        "scan S2",
        "dimensions got %s, want a dimension of input %s, %s",
        dimensions,
        i,
        input);
    int dimension = dimensions.getInt(0);
    require(
        input.size(dimension) == first.size(dimension) && !input.isDynamic(dimension),
        "scan S3",
        "size of dimension %s of input %s got %s, want the static size of input 0, %s",
        dimension,
        i,
        input,
        first);
    return input.select(Dims.range(0, input.rank()).without(dimensions));
  }

  /** Returns a tuple, or a single result by itself, as the computation or the shape has it. */
  private Shape formed(Shape.Tuple results, Shape given) {
    boolean isTuple = shape.orElse(given) instanceof Shape.Tuple;
    return isTuple || results.elements().size() != 1 ? results : results.elements().get(0);
  }

  private Shape.Tuple results(ProgramShape body, Shape.Array first, List<Shape> carries) {
    List<Shape> given =
        body.result() instanceof Shape.Tuple tuple ? tuple.elements() : List.of(body.result());
    require(
        given.size() >= numCarries,
        "scan S5",
        "result of to_apply got %s, want a tuple of outputs and %s carried values",
        body.result(),
        numCarries);
    int outputs = given.size() - numCarries;
    ImmutableList.Builder<Shape> results = ImmutableList.builder();
    for (int i = 0; i < outputs; i++) {
      results.add(stacked(given.get(i), first.size(dimensions.getInt(0)), i));
    }
    for (int i = 0; i < numCarries; i++) {
      require(
          given.get(outputs + i).compatible(carries.get(i)),
          "scan S6",
          "carried value %s of to_apply got %s, want %s",
          i,
          given.get(outputs + i),
          carries.get(i));
      results.add(carries.get(i).withoutLayout());
    }
    return new Shape.Tuple(results.build());
  }

  private Shape stacked(Shape slice, long size, int i) {
    Shape.Array array = Operands.requireArray(slice, "output " + i);
    int dimension = dimensions.getInt(0);
    require(
        dimension <= array.rank(),
        "scan S7",
        "output %s of to_apply got %s, want rank %s at least, for dimension %s",
        i,
        array,
        dimension,
        dimension);
    return array
        .select(Dims.range(0, dimension))
        .append(Shape.of(array.elementType(), size), Dims.of(0))
        .append(array, Dims.range(dimension, array.rank()));
  }
}
