package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** A struct in native memory, zeroed but for its size. Its fields are set and read by name. */
public class Struct {
  private final StructLayout layout;
  private final MemorySegment memory;
  private final Api api;

  /** The structs that it points to, whose sizes a plugin may refuse as well. */
  private final List<Struct> nested = new ArrayList<>();

  Struct(StructLayout layout, MemorySegment memory, Api api) {
    this.layout = layout;
    this.memory = memory;
    this.api = api;
    clear();
  }

  /** Sets all fields to zero, and the size to what the plugin expects. */
  final void clear() {
    memory.fill((byte) 0);
    nested.clear();
    long size = api.sizeOf(layout);
    if (size > 0 && layout.fields().containsKey("struct_size")) {
      memory.set(JAVA_LONG, 0, size);
    }
  }

  /** Writes the sizes anew, which may have become known, here and in the structs it points to. */
  final void resize() {
    memory.set(JAVA_LONG, 0, api.sizeOf(layout));
    nested.forEach(Struct::resize);
  }

  /** {@return the memory, to be passed on} */
  public final MemorySegment memory() {
    return memory;
  }

  final StructLayout layout() {
    return layout;
  }

  /** {@return a field, refused if the plugin is older than it} */
  public final StructLayout.Field field(String name) {
    return api.requireKnown(layout.field(name));
  }

  /** Sets an integer, a boolean or the address in a pointer. */
  public Struct set(String field, long value) {
    field(field).set(memory, value);
    return this;
  }

  /** Sets a pointer. The memory must stay alive as long as the plugin uses it. */
  public Struct set(String field, MemorySegment value) {
    return set(field, value.address());
  }

  /** Sets a pointer to another struct. */
  public Struct set(String field, Struct value) {
    nested.add(value);
    return set(field, value.memory);
  }

  /** Sets a pointer and the field {@code …_size} or {@code num_…} beside it. */
  public Struct set(String field, MemorySegment value, String sizeField, long size) {
    return set(field, size == 0 ? MemorySegment.NULL : value).set(sizeField, size);
  }

  /** {@return an integer, or the address in a pointer} */
  public final long get(String field) {
    return field(field).get(memory);
  }

  /** {@return an integer of 32 bits} */
  public final int getInt(String field) {
    return (int) get(field);
  }

  /** {@return a pointer} */
  public final MemorySegment pointer(String field) {
    return MemorySegment.ofAddress(get(field));
  }

  /** {@return the bytes a pointer leads to, as many as another field says} */
  public final byte[] bytes(String field, String sizeField) {
    long size = get(sizeField);
    return size == 0 ? new byte[0] : pointer(field).reinterpret(size).toArray(JAVA_BYTE);
  }

  /** {@return the text a pointer leads to, of as many bytes as another field says} */
  public final String text(String field, String sizeField) {
    return new String(bytes(field, sizeField), StandardCharsets.UTF_8);
  }

  /** {@return the integers of 64 bits that a pointer leads to, as many as another field says} */
  public final long[] longs(String field, String countField) {
    long count = get(countField);
    return count == 0
        ? new long[0]
        : pointer(field).reinterpret(count * Long.BYTES).toArray(JAVA_LONG);
  }

  /** {@return the pointers that a pointer leads to, as many as another field says} */
  public final ImmutableList<MemorySegment> pointers(String field, String countField) {
    return LongStream.of(longs(field, countField))
        .mapToObj(MemorySegment::ofAddress)
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * {@return the integers that are there, by name}
   *
   * @param flag what is added to the name of an integer for that of the boolean that says whether
   *     it is there; integers without one are left out
   */
  public final Map<String, Long> numbers(String flag) {
    Map<String, Long> all = new LinkedHashMap<>();
    for (String name : layout.fields().keySet()) {
      StructLayout.Field isSet = layout.fields().get(name + flag);
      if (isSet != null && api.knows(isSet) && isSet.get(memory) != 0) {
        all.put(name, get(name));
      }
    }
    return all;
  }

  /** {@return the integers whose names end as given and that the plugin has} */
  public final Map<String, Long> numbersEndingIn(String end) {
    Map<String, Long> all = new LinkedHashMap<>();
    for (StructLayout.Field each : layout.fields().values()) {
      if (each.name().endsWith(end) && api.knows(each)) {
        all.put(each.name().substring(layout.name().length() + 1), each.get(memory));
      }
    }
    return all;
  }

  @Override
  public String toString() {
    return layout.name();
  }
}
