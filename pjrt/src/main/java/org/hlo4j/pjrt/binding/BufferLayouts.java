package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;

/** Reads {@code PJRT_Buffer_MemoryLayout}: how a device keeps an array. */
public final class BufferLayouts {
  private static final StructLayout LAYOUT = Table.PJRT.struct("PJRT_Buffer_MemoryLayout");
  private static final StructLayout TILED = Table.PJRT.struct("PJRT_Buffer_MemoryLayout_Tiled");
  private static final StructLayout STRIDES = Table.PJRT.struct("PJRT_Buffer_MemoryLayout_Strides");

  private BufferLayouts() {}

  /**
   * {@return the layout of an array, empty if the plugin does not say or it is not dense}
   *
   * @param memory a {@code PJRT_Buffer_MemoryLayout}
   * @param shape the array
   */
  static Optional<Layout> read(MemorySegment memory, Shape.Array shape) {
    boolean isStrides = LAYOUT.field("type").get(memory) == 1;
    MemorySegment layout = memory.asSlice(LAYOUT.field("tiled").offset());
    return isStrides ? ofStrides(layout, shape) : Optional.of(ofTiles(layout));
  }

  private static long[] longs(StructLayout of, MemorySegment from, String field, long count) {
    long address = of.field(field).get(from);
    return count == 0 || address == 0
        ? new long[0]
        : MemorySegment.ofAddress(address).reinterpret(count * Long.BYTES).toArray(JAVA_LONG);
  }

  private static Layout ofTiles(MemorySegment tiled) {
    long rank = TILED.field("minor_to_major_size").get(tiled);
    Dims order = Dims.of(longs(TILED, tiled, "minor_to_major", rank));
    long count = TILED.field("num_tiles").get(tiled);
    long[] ranks = longs(TILED, tiled, "tile_dim_sizes", count);
    long[] sizes = longs(TILED, tiled, "tile_dims", Arrays.stream(ranks).sum());
    StringBuilder text = new StringBuilder(count == 0 ? "" : "T");
    int from = 0;
    for (long each : ranks) {
      text.append(
          Arrays.stream(sizes, from, from += (int) each)
              .mapToObj(Long::toString)
              .collect(Collectors.joining(",", "(", ")")));
    }
    return new Layout(order, text.toString());
  }

  /** Returns the order of the dimensions by their strides, if the array is dense in that order. */
  private static Optional<Layout> ofStrides(MemorySegment memory, Shape.Array shape) {
    long[] strides =
        longs(STRIDES, memory, "byte_strides", STRIDES.field("num_byte_strides").get(memory));
    if (strides.length != shape.rank()) {
      return Optional.empty();
    }
    long[] order =
        IntStream.range(0, strides.length)
            .boxed()
            .sorted(
                Comparator.<Integer>comparingLong(i -> strides[i])
                    .thenComparing(Comparator.reverseOrder()))
            .mapToLong(Integer::longValue)
            .toArray();
    long dense = Math.max(Byte.SIZE, shape.elementType().bits()) / Byte.SIZE;
    for (long dimension : order) {
      if (shape.size((int) dimension) > 1 && strides[(int) dimension] != dense) {
        return Optional.empty();
      }
      dense *= shape.size((int) dimension);
    }
    return Optional.of(new Layout(Dims.of(order), ""));
  }

  /** {@return how a device keeps a buffer, empty if the plugin does not say} */
  public static Optional<Layout> of(Api api, MemorySegment buffer, Shape.Array shape) {
    if (!api.has("PJRT_Buffer_GetMemoryLayout")) {
      return Optional.empty();
    }
    try (Call call = api.call("PJRT_Buffer_GetMemoryLayout")) {
      call.set("buffer", buffer).invoke();
      return read(call.memory().asSlice(call.field("layout").offset()), shape);
    }
  }
}
