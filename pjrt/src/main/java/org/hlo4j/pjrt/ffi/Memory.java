package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;

/** The memory that a plugin shows to a handler: structs of XLA's FFI, read by address. */
final class Memory {
  /** The structs and constants of the interface. */
  static final Table TABLE = Table.read("ffi-0.3.tsv");

  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private Memory() {}

  static int constant(String enumName, String suffix) {
    return TABLE.constant(enumName, suffix).orElseThrow().value();
  }

  /** Returns a field of a struct: an integer, or the address in a pointer. */
  static long get(long struct, StructLayout.Field field) {
    long at = struct + field.offset();
    return field.size() == Integer.BYTES ? intAt(at, 0) : longAt(at, 0);
  }

  static void setInt(long struct, StructLayout.Field field, long value) {
    ALL.set(JAVA_INT_UNALIGNED, struct + field.offset(), (int) value);
  }

  static long longAt(long address, long index) {
    return ALL.get(JAVA_LONG_UNALIGNED, address + index * Long.BYTES);
  }

  static int intAt(long address, long index) {
    return ALL.get(JAVA_INT_UNALIGNED, address + index * Integer.BYTES);
  }

  static MemorySegment bytes(long address, long size) {
    return size == 0 ? MemorySegment.NULL : ALL.asSlice(address, size);
  }

  static String text(long address, long size) {
    return new String(bytes(address, size).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
  }
}
