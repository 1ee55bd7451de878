package org.hlo4j.builder.lib;

import static org.hlo4j.builder.lib.common.Checks.require;

import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.lib.common.Checks;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/** Repetition of arrays: NumPy's {@code tile}, under the name of XLA's client library. */
public final class Tiling {
  private Tiling() {}

  /**
   * Repeats an array to given sizes. Dimensions are aligned from the right; missing ones are added,
   * and each dimension is repeated as a whole, with a new size that is a multiple of its own:
   * {@code [1 2]} to size 6 is {@code [1 2 1 2 1 2]}.
   *
   * @param input an array
   * @param outputDims the sizes of the result
   * @return the op
   * @throws HloException if there are fewer sizes than dimensions, or one is no multiple
   */
  public static XlaOp broadcastTo(XlaOp input, Dims outputDims) {
    Shape.Array shape = Checks.array("broadcastTo", "input", input);
    int added = outputDims.count() - shape.rank();
    require(
        added >= 0,
        "",
        "broadcastTo: sizes got %s for %s, want its rank at least",
        outputDims,
        shape);
    if (outputDims.equals(shape.sizes())) {
      return input;
    }
    Dims between = outputDims.subList(0, added);
    Dims places = Dims.of();
    for (int i = 0; i < shape.rank(); i++) {
      long times = requireTimes(shape, i, outputDims);
      boolean tiles = shape.size(i) != 1 && times != 1;
      between = tiles ? between.concat(Dims.of(times)) : between;
      places = places.concat(Dims.of(between.count()));
      between = between.concat(Dims.of(tiles ? shape.size(i) : outputDims.get(added + i)));
    }
    XlaOp repeated = input.broadcastInDim(between, places);
    return between.equals(outputDims) ? repeated : repeated.reshape(outputDims);
  }

  private static long requireTimes(Shape.Array shape, int dimension, Dims outputDims) {
    long size = shape.size(dimension);
    long wanted = outputDims.get(outputDims.count() - shape.rank() + dimension);
    boolean multiple = size == 0 ? wanted == 0 : wanted >= 0 && wanted % size == 0;
    require(
        multiple,
        "",
        "broadcastTo: sizes got %s for %s, want a multiple of size %s for its dimension %s",
        outputDims,
        shape,
        size,
        dimension);
    return size == 0 ? 1 : wanted / size;
  }
}
