package org.hlo4j.hlo.safetensors;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * The header's entry of a tensor.
 *
 * @param name its name
 * @param dtype the type of its elements
 * @param sizes its sizes
 * @param begin the offset of its first byte from the end of the header
 * @param end the offset of the byte after its last
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

  /** Returns the shape; refused if HLO has no such type. */
  Shape.Array shape() {
    return Shape.of(dtype.elementType(), sizes);
  }
}
