package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.flatbuffers.Table;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.IntFunction;
import org.hlo4j.hlo.HloException;

/**
 * A table of a flatbuffer, whose fields are accessed by slot number. Absent fields have defaults.
 * An offset that points outside the buffer causes an {@link IndexOutOfBoundsException}, which
 * {@link ExportReader} turns into a refusal.
 */
final class FlatTable extends Table {
  private final int size;

  private FlatTable(int position, ByteBuffer buffer) {
    size = buffer.limit();
    require(
        position >= 0 && position <= size - 4,
        HloException.Kind.PARSE,
        "flatbuffer: offset got %s, want one within %s bytes",
        position,
        size);
    __reset(position, buffer);
  }

  /** Returns the root table of a buffer in little-endian order. */
  static FlatTable root(ByteBuffer buffer) {
    require(
        buffer.limit() >= 8, HloException.Kind.PARSE, "flatbuffer got %s bytes", buffer.limit());
    return new FlatTable(buffer.getInt(0), buffer);
  }

  private int field(int slot) {
    int offset = __offset(4 + 2 * slot);
    return offset == 0 ? 0 : bb_pos + offset;
  }

  boolean has(int slot) {
    return __offset(4 + 2 * slot) != 0;
  }

  int u8(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : bb.get(at) & 0xff;
  }

  int u16(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : bb.getShort(at) & 0xffff;
  }

  long u32(int slot) {
    int at = field(slot);
    return at == 0 ? 0 : bb.getInt(at) & 0xffffffffL;
  }

  String string(int slot) {
    int at = field(slot);
    return at == 0 ? "" : stringAt(at);
  }

  Optional<FlatTable> table(int slot) {
    int at = field(slot);
    return at == 0 ? Optional.empty() : Optional.of(new FlatTable(__indirect(at), bb));
  }

  ImmutableList<FlatTable> tables(int slot) {
    return vector(slot, 4, at -> new FlatTable(__indirect(at), bb));
  }

  ImmutableList<String> strings(int slot) {
    return vector(slot, 4, this::stringAt);
  }

  ImmutableList<Integer> u16s(int slot) {
    return vector(slot, 2, at -> bb.getShort(at) & 0xffff);
  }

  ImmutableList<Long> u32s(int slot) {
    return vector(slot, 4, at -> bb.getInt(at) & 0xffffffffL);
  }

  /** Returns the bytes of a vector, without a copy. */
  ByteBuffer bytes(int slot) {
    int at = field(slot);
    if (at == 0) {
      return ByteBuffer.allocate(0);
    }
    int start = __indirect(at);
    return slice(start);
  }

  private String stringAt(int at) {
    return StandardCharsets.UTF_8.decode(slice(__indirect(at))).toString();
  }

  /** Returns the bytes that follow a length. */
  private ByteBuffer slice(int start) {
    int length = bb.getInt(start);
    requireLength(length, 1, start);
    return bb.slice(start + 4, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  private <T> ImmutableList<T> vector(int slot, int width, IntFunction<T> element) {
    int at = field(slot);
    if (at == 0) {
      return ImmutableList.of();
    }
    int start = __indirect(at);
    int length = bb.getInt(start);
    requireLength(length, width, start);
    ImmutableList.Builder<T> elements = ImmutableList.builder();
    for (int i = 0; i < length; i++) {
      elements.add(element.apply(start + 4 + i * width));
    }
    return elements.build();
  }

  private void requireLength(int length, int width, int start) {
    require(
        length >= 0 && length <= (size - start - 4L) / width,
        HloException.Kind.PARSE,
        "flatbuffer: byte %s: length got %s, want one within %s bytes",
        start,
        length,
        size);
  }
}
