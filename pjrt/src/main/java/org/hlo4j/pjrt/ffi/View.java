package org.hlo4j.pjrt.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.hlo4j.pjrt.binding.Api;
import org.hlo4j.pjrt.binding.StructLayout;
import org.hlo4j.pjrt.binding.Table;

/**
 * A struct of XLA's FFI in memory that a plugin shows to a handler, or gets from it.
 *
 * @param layout of which struct
 * @param memory where it is
 */
record View(StructLayout layout, MemorySegment memory) {
  /** The structs and constants of the interface. */
  static final Table TABLE = Table.read("ffi-0.3.tsv");

  static View of(String struct, long address) {
    StructLayout layout = TABLE.struct(struct);
    return new View(layout, Api.memory(address, layout.sizeof()));
  }

  static int constant(String enumName, String suffix) {
    return TABLE.constant(enumName, suffix).orElseThrow().value();
  }

  /** Returns an integer, or the address in a pointer. */
  long get(String field) {
    return layout.field(field).get(memory);
  }

  void set(String field, long value) {
    layout.field(field).set(memory, value);
  }

  /** Sets fields to those of another struct. */
  void copy(View from, String... names) {
    for (String name : names) {
      set(name, from.get(name));
    }
  }

  /** Returns a struct that is a field. */
  View in(String field, String struct) {
    return of(struct, memory.address() + layout.field(field).offset());
  }

  /** Returns the struct that a field points to. */
  View to(String field, String struct) {
    return of(struct, get(field));
  }

  /** Returns the numbers or pointers that a field points to, as many as another says. */
  long[] longs(String field, String count) {
    return Api.memory(get(field), get(count) * Long.BYTES).toArray(JAVA_LONG);
  }

  String text(String field, String size) {
    byte[] bytes = Api.memory(get(field), get(size)).toArray(JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
