package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Layout;

/** Reads {@code PJRT_Buffer_MemoryLayout}: how a device keeps an array. */
public final class BufferLayouts {
  private static final StructLayout LAYOUT = Table.PJRT.struct("PJRT_Buffer_MemoryLayout");
  private static final StructLayout TILED = Table.PJRT.struct("PJRT_Buffer_MemoryLayout_Tiled");

  private BufferLayouts() {}

  /** {@return how a device keeps a buffer, empty if the plugin does not say, or says strides} */
  public static Optional<Layout> of(Api api, MemorySegment buffer) {
    if (!api.has("PJRT_Buffer_GetMemoryLayout")) {
      return Optional.empty();
    }
    try (Call call = api.call("PJRT_Buffer_GetMemoryLayout")) {
      call.set(buffer).invoke();
      MemorySegment layout = call.memory().asSlice(call.field("layout").offset());
      return LAYOUT.field("type").get(layout) == 0
          ? Optional.of(ofTiles(layout.asSlice(LAYOUT.field("tiled").offset())))
          : Optional.empty();
    }
  }

  private static Layout ofTiles(MemorySegment tiled) {
    Dims order = Dims.of(longs(tiled, "minor_to_major", get(tiled, "minor_to_major_size")));
    long[] ranks = longs(tiled, "tile_dim_sizes", get(tiled, "num_tiles"));
    long[] sizes = longs(tiled, "tile_dims", Arrays.stream(ranks).sum());
    StringBuilder text = new StringBuilder(ranks.length == 0 ? "" : "T");
    int from = 0;
    for (long each : ranks) {
      text.append(
          Arrays.stream(sizes, from, from += (int) each)
              .mapToObj(size -> size < 0 ? "*" : Long.toString(size)) // joins dimensions
              .collect(Collectors.joining(",", "(", ")")));
    }
    return new Layout(order, text.toString());
  }

  /** {@return the order of a layout without its tiles, to ask a plugin for elements} */
  public static Struct<?> untiled(Layout layout, Api api, Arena arena) {
    Struct<?> untiled = api.struct(LAYOUT, arena);
    MemorySegment tiled = untiled.memory().asSlice(LAYOUT.field("tiled").offset());
    MemorySegment order = arena.allocateFrom(JAVA_LONG, layout.minorToMajor().toArray());
    TILED.field("struct_size").set(tiled, api.sizeOf(TILED));
    TILED.field("minor_to_major").set(tiled, order.address());
    TILED.field("minor_to_major_size").set(tiled, layout.minorToMajor().count());
    return untiled;
  }

  private static long get(MemorySegment tiled, String field) {
    return TILED.field(field).get(tiled);
  }

  private static long[] longs(MemorySegment tiled, String field, long count) {
    return Api.memory(get(tiled, field), count * Long.BYTES).toArray(JAVA_LONG);
  }
}
