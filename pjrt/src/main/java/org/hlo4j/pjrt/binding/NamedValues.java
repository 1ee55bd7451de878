package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.hlo4j.hlo.HloException;

/**
 * Arrays of {@code PJRT_NamedValue}: attributes, costs and options. Their values are String, Long,
 * long[], Float and Boolean.
 */
public final class NamedValues {
  private static final StructLayout LAYOUT = Table.PJRT.struct("PJRT_NamedValue");
  private static final StructLayout.Field NAME = LAYOUT.field("name");
  private static final StructLayout.Field NAME_SIZE = LAYOUT.field("name_size");
  private static final StructLayout.Field TYPE = LAYOUT.field("type");
  private static final StructLayout.Field VALUE_SIZE = LAYOUT.field("value_size");

  /** Where the values are, which share their memory. */
  private static final long VALUE = LAYOUT.field("int64_value").offset();

  private NamedValues() {}

  /** {@return the values by name} One of an unknown type is left out. */
  public static ImmutableMap<String, Object> read(MemorySegment address, long count) {
    ImmutableMap.Builder<String, Object> all = ImmutableMap.builder();
    MemorySegment array = Api.memory(address.address(), count * LAYOUT.sizeof());
    for (long at = 0; at < array.byteSize(); at += LAYOUT.sizeof()) {
      put(array.asSlice(at, LAYOUT.sizeof()), all);
    }
    return all.buildKeepingLast();
  }

  private static void put(MemorySegment entry, ImmutableMap.Builder<String, Object> all) {
    String name = text(NAME.get(entry), NAME_SIZE.get(entry));
    long size = VALUE_SIZE.get(entry);
    long bits = entry.get(JAVA_LONG, VALUE);
    switch ((int) TYPE.get(entry)) {
      case 0 -> all.put(name, text(bits, size));
      case 1 -> all.put(name, bits);
      case 2 -> all.put(name, Api.memory(bits, size * Long.BYTES).toArray(JAVA_LONG));
      case 3 -> all.put(name, entry.get(JAVA_FLOAT, VALUE));
      case 4 -> all.put(name, entry.get(JAVA_BYTE, VALUE) != 0);
      default -> {} // of a newer interface
    }
  }

  private static String text(long address, long size) {
    return new String(Api.memory(address, size).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
  }

  /** {@return an array of the values} */
  public static MemorySegment write(Map<String, Object> values, Api api, SegmentAllocator memory) {
    MemorySegment array =
        memory.allocate(Math.max(1, values.size()) * LAYOUT.sizeof(), Long.BYTES).fill((byte) 0);
    long offset = 0;
    for (Map.Entry<String, Object> each : values.entrySet()) {
      MemorySegment entry = array.asSlice(offset, LAYOUT.sizeof());
      LAYOUT.field("struct_size").set(entry, api.sizeOf(LAYOUT));
      byte[] name = each.getKey().getBytes(StandardCharsets.UTF_8);
      NAME.set(entry, memory.allocateFrom(JAVA_BYTE, name).address());
      NAME_SIZE.set(entry, name.length);
      write(each.getValue(), entry, memory);
      offset += LAYOUT.sizeof();
    }
    return array;
  }

  private static void write(Object value, MemorySegment entry, SegmentAllocator memory) {
    switch (value) {
      case String text -> {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        set(entry, 0, memory.allocateFrom(JAVA_BYTE, bytes).address(), bytes.length);
      }
      case Long number -> set(entry, 1, number, 1);
      case long[] numbers ->
          set(entry, 2, memory.allocateFrom(JAVA_LONG, numbers).address(), numbers.length);
      case Float number -> set(entry, 3, Float.floatToRawIntBits(number), 1);
      case Boolean flag -> set(entry, 4, flag ? 1 : 0, 1);
      default ->
          throw new HloException(
              "",
              "option: got a value of "
                  + value.getClass().getSimpleName()
                  + ", want String, Long, long[], Float or Boolean");
    }
  }

  private static void set(MemorySegment entry, int type, long bits, long size) {
    TYPE.set(entry, type);
    entry.set(JAVA_LONG, VALUE, bits);
    VALUE_SIZE.set(entry, size);
  }
}
