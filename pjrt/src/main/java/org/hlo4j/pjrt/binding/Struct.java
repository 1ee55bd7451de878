package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * A struct in native memory, zeroed but for its size. Its fields are set and read by name.
 *
 * @param <S> what its setters return
 */
public class Struct<S extends Struct<S>> {
  private final StructLayout layout;
  private final MemorySegment memory;
  private final Api api;

  /** The structs that it points to, whose sizes a plugin may refuse as well. */
  private final List<Struct<?>> nested = new ArrayList<>();

  Struct(StructLayout layout, MemorySegment memory, Api api) {
    this.layout = layout;
    this.memory = memory;
    this.api = api;
    resize();
  }

  /** Sets all fields to zero but the size. */
  final void clear() {
    long size = memory.get(JAVA_LONG, 0);
    memory.fill((byte) 0);
    memory.set(JAVA_LONG, 0, size);
    nested.clear();
    if (api.hasNamedSizes()) {
      resize();
    }
  }

  /** Writes the sizes anew, which may have become known, here and in the structs it points to. */
  final void resize() {
    if (layout.fields().containsKey("struct_size")) {
      memory.set(JAVA_LONG, 0, Math.max(0, api.sizeOf(layout)));
    }
    nested.forEach(Struct::resize);
  }

  /** {@return the memory, to be passed on} */
  public final MemorySegment memory() {
    return memory;
  }

  /** {@return a field, refused if the plugin is older than it} */
  public final StructLayout.Field field(String name) {
    return api.requireKnown(layout.field(name));
  }

  /** Sets an integer, a boolean or the address in a pointer. */
  @SuppressWarnings("unchecked") // S is the class itself
  public final S set(String field, long value) {
    field(field).set(memory, value);
    return (S) this;
  }

  /** Sets a pointer. The memory must stay alive as long as the plugin uses it. */
  public final S set(String field, MemorySegment value) {
    return set(field, value.address());
  }

  /** Sets a pointer to another struct. */
  public final S set(String field, Struct<?> value) {
    nested.add(value);
    return set(field, value.memory);
  }

  /** Sets a pointer and the field {@code …_size} or {@code num_…} beside it. */
  public final S set(String field, MemorySegment value, String sizeField, long size) {
    return set(field, size == 0 ? 0 : value.address()).set(sizeField, size);
  }

  /**
   * Sets a pointer to a copy of bytes and the field {@code …_size} beside it. A zero follows the
   * bytes, for the parser of MLIR reads on until it meets one, whatever the size says.
   */
  public final S set(String field, byte[] value, SegmentAllocator memory) {
    byte[] ended = Arrays.copyOf(value, value.length + 1);
    return set(field, memory.allocateFrom(JAVA_BYTE, ended)).set(field + "_size", value.length);
  }

  /** {@return an integer, or the address in a pointer} */
  public final long get(String field) {
    return field(field).get(memory);
  }

  /** {@return a pointer} */
  public final MemorySegment pointer(String field) {
    return MemorySegment.ofAddress(get(field));
  }

  /** {@return the bytes a pointer leads to, as many as another field says} */
  public final byte[] bytes(String field, String sizeField) {
    return Api.memory(get(field), get(sizeField)).toArray(JAVA_BYTE);
  }

  /** {@return the text a pointer leads to, of as many bytes as the field {@code …_size} says} */
  public final String text(String field) {
    return new String(bytes(field, field + "_size"), StandardCharsets.UTF_8);
  }

  /** {@return the integers of 64 bits that a pointer leads to, as many as another field says} */
  public final long[] longs(String field, String countField) {
    return Api.memory(get(field), get(countField) * Long.BYTES).toArray(JAVA_LONG);
  }

  /** {@return the pointers that a pointer leads to, as many as another field says} */
  public final ImmutableList<MemorySegment> pointers(String field, String countField) {
    return LongStream.of(longs(field, countField))
        .mapToObj(MemorySegment::ofAddress)
        .collect(ImmutableList.toImmutableList());
  }

  /** {@return the integers by name that the plugin has and that are wanted} */
  public final ImmutableMap<String, Long> numbers(Predicate<String> isWanted) {
    return layout.fields().keySet().stream()
        .filter(name -> api.knows(layout.field(name)) && isWanted.test(name))
        .collect(ImmutableMap.toImmutableMap(name -> name, this::get));
  }

  /** {@return whether the boolean {@code …_is_set} beside a field is true} */
  public final boolean isSet(String field) {
    StructLayout.Field flag = layout.fields().get(field + "_is_set");
    return flag != null && flag.get(memory) != 0;
  }

  @Override
  public String toString() {
    return layout.name();
  }
}
