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
      View layout = new View(LAYOUT, call.memory().asSlice(call.field("layout").offset()));
      return layout.get("type") == 0 ? Optional.of(ofTiles(tiled(layout))) : Optional.empty();
    }
  }

  private static View tiled(View layout) {
    return new View(TILED, layout.memory().asSlice(layout.field("tiled").offset()));
  }

  private static Layout ofTiles(View tiled) {
    Dims order = Dims.of(tiled.longs("minor_to_major", "minor_to_major_size"));
    long[] ranks = tiled.longs("tile_dim_sizes", "num_tiles");
    long count = Arrays.stream(ranks).sum() * Long.BYTES;
    long[] sizes = Api.memory(tiled.get("tile_dims"), count).toArray(JAVA_LONG);
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
    MemorySegment order = arena.allocateFrom(JAVA_LONG, layout.minorToMajor().toArray());
    tiled(untiled)
        .set("struct_size", api.sizeOf(TILED))
        .set("minor_to_major", order.address())
        .set("minor_to_major_size", layout.minorToMajor().count());
    return untiled;
  }
}
