package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * What a header says of a tensor.
 *
 * @param name its name
 * @param dtype the type of its elements
 * @param sizes its sizes
 * @param begin its first byte, counted from the first behind the header
 * @param end the byte behind its last
 */
record TensorInfo(String name, Dtype dtype, Dims sizes, long begin, long end) {
  /** Requires as many bytes as the elements take. */
  TensorInfo {
    long bytes = dtype.bytes(count(dtype, sizes));
    require(
        begin >= 0 && begin <= end && end - begin == bytes,
        "",
        "data_offsets got [%s, %s], want %s bytes for %s%s",
        begin,
        end,
        bytes,
        dtype,
        sizes.stream().boxed().toList());
  }

  private static long count(Dtype dtype, Dims sizes) {
    for (long size : sizes.toArray()) {
      require(size >= 0, "", "shape got %s, want sizes of at least 0", size);
    }
    try {
      return sizes.product();
    } catch (ArithmeticException overflow) {
      throw new HloException(
          "",
          "shape got more than 2^63 - 1 elements of " + dtype + ", want at most as many as bytes");
    }
  }

  /** The shape; refused if HLO has no such type. */
  Shape.Array shape() {
    return Shape.of(dtype.elementType(), sizes);
  }
}
