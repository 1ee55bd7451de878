package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Arrays of {@code PJRT_NamedValue}: attributes, costs and options. Their values are String, Long,
 * long[], Float and Boolean.
 */
public final class NamedValues {
  private static final StructLayout LAYOUT = Table.PJRT.struct("PJRT_NamedValue");

  private NamedValues() {}

  /**
   * {@return the values in a field, of which {@code num_…} says how many} Unknown types are left
   * out.
   */
  public static ImmutableMap<String, Object> read(View of, String field) {
    ImmutableMap.Builder<String, Object> all = ImmutableMap.builder();
    for (long i = 0; i < of.get("num_" + field); i++) {
      long at = of.get(field) + i * LAYOUT.sizeof();
      put(Table.PJRT.view(LAYOUT.name(), at), all);
    }
    return all.buildKeepingLast();
  }

  private static void put(View entry, ImmutableMap.Builder<String, Object> all) {
    String name = entry.text("name");
    switch ((int) entry.get("type")) {
      case 0 -> all.put(name, entry.text("string_value", "value_size"));
      case 1 -> all.put(name, entry.get("int64_value"));
      case 2 -> all.put(name, entry.longs("int64_array_value", "value_size"));
      case 3 -> all.put(name, Float.intBitsToFloat((int) entry.get("float_value")));
      case 4 -> all.put(name, entry.get("bool_value") != 0);
      default -> {} // of a newer interface
    }
  }

  /** {@return an array of the values} */
  public static MemorySegment write(Map<String, Object> values, Api api, SegmentAllocator memory) {
    MemorySegment array =
        memory.allocate(Math.max(1, values.size()) * LAYOUT.sizeof(), Long.BYTES).fill((byte) 0);
    long offset = 0;
    for (Map.Entry<String, Object> each : values.entrySet()) {
      View entry = new View(LAYOUT, array.asSlice(offset, LAYOUT.sizeof()));
      entry
          .set("struct_size", api.sizeOf(LAYOUT))
          .set("name", each.getKey().getBytes(StandardCharsets.UTF_8), memory);
      write(each.getValue(), entry, memory);
      offset += LAYOUT.sizeof();
    }
    return array;
  }

  private static void write(Object value, View entry, SegmentAllocator memory) {
    switch (value) {
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        set(entry, 0, View.copy(bytes, memory).address(), bytes.length);
      }
      case Long number -> set(entry, 1, number, 1);
      case long[] numbers ->
          set(entry, 2, memory.allocateFrom(JAVA_LONG, numbers).address(), numbers.length);
      case Float number -> set(entry, 3, Float.floatToRawIntBits(number), 1);
      case Boolean flag -> set(entry, 4, flag ? 1 : 0, 1);
      default -> throw new AssertionError(value); // PjrtOptions has no others
    }
  }

  /** All values share their memory. */
  private static void set(View entry, int type, long bits, long size) {
    entry.set("type", type).set("int64_value", bits).set("value_size", size);
  }
}
