package org.hlo4j.pjrt.binding;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.google.common.collect.ImmutableSortedMap;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import org.hlo4j.hlo.HloException;

/**
 * The layout of a struct.
 *
 * @param name as {@code PJRT_Client_Compile_Args}
 * @param sizeof its size in arrays of it, in the newest version
 * @param sizes its {@code STRUCT_SIZE}, the end of its last field, from a minor version on; -1 if
 *     it has no field {@code struct_size}
 * @param fields its fields by name
 */
public record StructLayout(
    String name,
    long sizeof,
    ImmutableSortedMap<Integer, Integer> sizes,
    Map<String, Field> fields) {

  /** How much longer than known a struct is for a plugin newer than the table. */
  static final long GROWTH = 64;

  /**
   * A field: a pointer, an integer or a boolean, of 1, 4 or 8 bytes, or a struct.
   *
   * @param name with that of its struct
   * @param offset where it begins
   * @param size how many bytes it has
   * @param since the first minor version that has it
   */
  public record Field(String name, long offset, int size, int since) {
    /** {@return its value, sign-extended; of a pointer the address} */
    public long get(MemorySegment struct) {
      return switch (size) {
        case Byte.BYTES -> struct.get(JAVA_BYTE, offset);
        case Integer.BYTES -> struct.get(JAVA_INT, offset);
        default -> struct.get(JAVA_LONG, offset);
      };
    }

    /** Sets its value, of which it keeps as many low bits as it has. */
    public void set(MemorySegment struct, long value) {
      switch (size) {
        case Byte.BYTES -> struct.set(JAVA_BYTE, offset, (byte) value);
        case Integer.BYTES -> struct.set(JAVA_INT, offset, (int) value);
        default -> struct.set(JAVA_LONG, offset, value);
      }
    }
  }

  /** {@return the field of a name} */
  public Field field(String field) {
    Field found = fields.get(field);
    if (found == null) {
      throw new HloException("", "pjrt: got " + name + "." + field + ", want a field of the table");
    }
    return found;
  }

  /**
   * {@return what to write as {@code struct_size}} XLA's plugins take a struct that is longer than
   * theirs and refuse a shorter one, Neuron's takes its own size only. So it is the plugin's own
   * where that is known, and longer for versions that are not; but not for those by which errors
   * are read, which are read with no error themselves.
   *
   * @param minor the plugin's minor version
   */
  long sizeFor(int minor) {
    Map.Entry<Integer, Integer> known = sizes.floorEntry(minor);
    int size = known == null ? sizes.values().iterator().next() : known.getValue();
    boolean isLonger = minor > Table.NEWEST && size > 0 && !name.startsWith("PJRT_Error_");
    return isLonger ? size + GROWTH : size;
  }
}
