package org.hlo4j.stablehlo.jax;

import static java.util.Objects.checkIndex;
import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A table of a flatbuffer, whose fields are accessed by slot number. Absent fields have defaults.
 * An offset that points outside the buffer causes an {@link IndexOutOfBoundsException}, which
 * {@link ExportReader} turns into a refusal.
 *
 * @param position where the table lies, which tells it from all others
 * @param buffer the whole buffer
 * @param strings the strings read so far, by position: many fields may refer to one
 */
record FlatTable(int position, ByteBuffer buffer, Map<Integer, String> strings) {
  FlatTable {
    require(
        position >= 0 && position <= buffer.limit() - 4,
        PARSE,
        "flatbuffer: offset got %s, want one within %s bytes",
        position,
        buffer.limit());
    checkIndex(position - buffer.getInt(position), buffer.limit() - 1);
  }

  /** Returns the root table of a buffer in little-endian order. */
  static FlatTable root(ByteBuffer buffer) {
    require(buffer.limit() >= 8, PARSE, "flatbuffer got %s bytes", buffer.limit());
    return new FlatTable(buffer.getInt(0), buffer, new HashMap<>());
  }

  /** Returns where a field is, 0 if it is absent: its slot is empty, or the table has fewer. */
  private int field(int slot) {
    int slots = position - buffer.getInt(position);
    int at = 4 + 2 * slot;
    boolean isThere = at + 2 <= (buffer.getShort(slots) & 0xffff);
    int offset = isThere ? buffer.getShort(slots + at) & 0xffff : 0;
    return offset == 0 ? 0 : position + offset;
  }

  /** Returns the place that the offset at a place points to. */
  private int target(int at) {
    return at + buffer.getInt(at);
  }

  boolean has(int slot) {
    return field(slot) != 0;
  }

  int u8(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : buffer.get(at) & 0xff;
  }

  int u16(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : buffer.getShort(at) & 0xffff;
  }

  long u32(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : buffer.getInt(at) & 0xffffffffL;
  }

  String string(int slot) {
    int at = field(slot);
    return at == 0 ? "" : stringAt(at);
  }

  Optional<FlatTable> table(int slot) {
    int at = field(slot);
    return at == 0 ? Optional.empty() : Optional.of(new FlatTable(target(at), buffer, strings));
  }

  ImmutableList<FlatTable> tables(int slot) {
    return vector(slot, 4, at -> new FlatTable(target(at), buffer, strings));
  }

  ImmutableList<String> strings(int slot) {
    return vector(slot, 4, this::stringAt);
  }

  ImmutableList<Integer> u16s(int slot) {
    return vector(slot, 2, at -> buffer.getShort(at) & 0xffff);
  }

  ImmutableList<Long> u32s(int slot) {
    return vector(slot, 4, at -> buffer.getInt(at) & 0xffffffffL);
  }

  /** Returns the bytes of a vector, without a copy. */
  ByteBuffer bytes(int slot) {
    int at = field(slot);
    if (at == 0) {
      return ByteBuffer.allocate(0);
    }
    return slice(target(at));
  }

  private String stringAt(int at) {
    return strings.computeIfAbsent(
        target(at), start -> StandardCharsets.UTF_8.decode(slice(start)).toString());
  }

  /** Returns the bytes that follow a length. */
  private ByteBuffer slice(int start) {
    int length = buffer.getInt(start);
    requireLength(length, 1, start);
    return buffer.slice(start + 4, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private <T> ImmutableList<T> vector(int slot, int width, IntFunction<T> element) {
    int at = field(slot);
    if (at == 0) {
      return ImmutableList.of();
    }
    int start = target(at);
    int length = buffer.getInt(start);
    requireLength(length, width, start);
    ImmutableList.Builder<T> elements = ImmutableList.builder();
    for (int i = 0; i < length; i++) {
      elements.add(element.apply(start + 4 + i * width));
    }
    return elements.build();
  }

  private void requireLength(int length, int width, int start) {
    require(
        length >= 0 && length <= (buffer.limit() - start - 4L) / width,
        PARSE,
        "flatbuffer: byte %s: length got %s, want one within %s bytes",
        start,
        length,
        buffer.limit());
  }
}
