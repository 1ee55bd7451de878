package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableList;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.LongStream;

/** A struct in native memory. Its fields are set and read by name. */
public class View {
  final StructLayout layout;
  private final MemorySegment memory;

  /** A struct of a layout. */
  public View(StructLayout layout, MemorySegment memory) {
    this.layout = layout;
    this.memory = memory;
  }

  /** {@return the memory, to be passed on} */
  public final MemorySegment memory() {
    return memory;
  }

  /** {@return a field} */
  public StructLayout.Field field(String name) {
    return layout.field(name);
  }

  /** {@return the address of a struct that is a field} */
  public final long address(String field) {
    return memory.address() + field(field).offset();
  }

  /** Sets an integer, a boolean or the address in a pointer. */
  public View set(String field, long value) {
    field(field).set(memory, value);
    return this;
  }

  /** Sets a pointer to a copy of bytes and the field {@code …_size} beside it. */
  public View set(String field, byte[] value, SegmentAllocator memory) {
    return set(field, copy(value, memory).address()).set(field + "_size", value.length);
  }

  /**
   * {@return a copy of bytes for a plugin} A zero follows, for the parser of MLIR reads on until it
   * meets one, whatever the size says; that of its bytecode wants the sections aligned in memory.
   */
  static MemorySegment copy(byte[] value, SegmentAllocator memory) {
    MemorySegment ended = MemorySegment.ofArray(Arrays.copyOf(value, value.length + 1));
    return memory.allocate(ended.byteSize(), HostMemory.ALIGNMENT).copyFrom(ended);
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

  /** {@return the text a pointer leads to, of as many bytes as another field says} */
  public final String text(String field, String sizeField) {
    return new String(bytes(field, sizeField), StandardCharsets.UTF_8);
  }

  /** {@return the text a pointer leads to, of as many bytes as the field {@code …_size} says} */
  public final String text(String field) {
    return text(field, field + "_size");
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

  @Override
  public String toString() {
    return layout.name();
  }
}
