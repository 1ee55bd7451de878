package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.PARSE;

import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.ByteStrings;
import org.jspecify.annotations.Nullable;

/** A cursor over a part of a file of MLIR bytecode. It never reads beyond that part. */
class ByteReader {
  private static final int MAX_NAME = 200;

  private final byte[] file;
  private final int limit;
  private int position;

  /** The op or table entry that is being read, for messages; empty at first. */
  private String subject = "";

  ByteReader(byte[] file, int start, int limit) {
    this.file = file;
    this.position = start;
    this.limit = limit;
  }

  /** Creates a cursor at the position of another one. */
  ByteReader(ByteReader other) {
    this(other.file, other.position, other.limit);
    this.subject = other.subject;
  }

  /** Returns a cursor over the next bytes, and moves this one past them. */
  ByteReader slice(int length) {
    ByteReader slice = new ByteReader(file, position, position + length);
    slice.subject = subject;
    position += length;
    return slice;
  }

  /** Returns all remaining bytes, which stay in the file. */
  ByteBuffer buffer() {
    return ByteBuffer.wrap(file, position, remaining()).slice().order(ByteOrder.LITTLE_ENDIAN);
  }

  int position() {
    return position;
  }

  int remaining() {
    return limit - position;
  }

  boolean isAtEnd() {
    return position >= limit;
  }

  void setSubject(String subject) {
    this.subject = subject;
  }

  int readByte() {
    require(position < limit, "the file ends here, want more bytes");
    return file[position++] & 0xff;
  }

  /** {@return an unsigned number} */
  public long varint() {
    // The number of trailing zeros of the first byte is the number of bytes that follow.
    int first = readByte();
    if ((first & 1) != 0) {
      return first >> 1;
    }
    int more = first == 0 ? 8 : Integer.numberOfTrailingZeros(first);
    require(remaining() >= more, "the file ends inside a number");
    long value = first == 0 ? 0 : first >>> (more + 1);
    int shift = first == 0 ? 0 : 7 - more;
    for (int i = 0; i < more; i++) {
      value |= (file[position++] & 0xffL) << (shift + 8 * i);
    }
    return value;
  }

  /** {@return a signed number, whose sign is in the lowest bit} */
  public long signed() {
    long value = varint();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Reads the number of elements that follow; each takes at least a byte. */
  int count(String what) {
    long count = varint();
    return fitting(count, remaining(), "got %2$s %1$s, but only %3$s bytes follow", what);
  }

  /**
   * Checks a number of bytes, or of elements that take at least a byte each.
   *
   * @param available how many bytes there are
   * @param message the refusal, of {@code what}, the number, and how many bytes there are
   */
  int fitting(long count, int available, String message, Object what) {
    if (count < 0 || count > available) {
      throw refusal("%s", String.format(Locale.ROOT, message, what, unsigned(count), available));
    }
    return (int) count;
  }

  /** Reads a list, preceded by the number of its elements. */
  <T> ImmutableList<T> list(String what, Supplier<T> element) {
    int count = count(what);
    ImmutableList.Builder<T> list = ImmutableList.builderWithExpectedSize(count);
    for (int i = 0; i < count; i++) {
      list.add(element.get());
    }
    return list.build();
  }

  /** Reads an index into a table. */
  int index(int size, String what) {
    return index(varint(), size, what);
  }

  /** Checks an index into a table. */
  int index(long index, int size, String what) {
    boolean isIn = index >= 0 && index < size;
    require(isIn, "got %s %s, the file has %s of them", what, unsigned(index), size);
    return (int) index;
  }

  /** Reads up to the next zero byte, and returns the bytes before it as a range of the file. */
  ByteReader zeroTerminated(String what) {
    int end = position;
    while (end < limit && file[end] != 0) {
      end++;
    }
    require(end < limit, "got %s without an end", what);
    ByteReader text = slice(end - position);
    position++;
    return text;
  }

  /** Skips the padding before data that are aligned to a multiple of a power of two. */
  void align(long alignment) {
    boolean isPower = alignment > 0 && Long.bitCount(alignment) == 1;
    require(isPower, "got alignment %s, want a power of two", unsigned(alignment));
    while (position % alignment != 0) {
      require(readByte() == 0xCB, "got another byte than CB before aligned data");
    }
  }

  /** Returns the remaining bytes as text. */
  String text() {
    return ByteStrings.decoded(Arrays.copyOfRange(file, position, position + remaining()));
  }

  /** Refuses the file, unless a condition holds. */
  @FormatMethod
  final void require(boolean holds, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw refusal(format, arguments);
    }
  }

  /**
   * {@return a refusal that names the byte, and the entry that is being read}
   *
   * @param format the message, as for {@link String#format}
   * @param arguments the values named in it
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public final HloException refusal(@FormatString String format, @Nullable Object... arguments) {
    return refusal(PARSE, format, arguments);
  }

  /** Returns a refusal of a kind, at this position. */
  @FormatMethod
  final HloException refusal(
      HloException.Kind kind, @FormatString String format, @Nullable Object... arguments) {
    String prefix = subject.isEmpty() ? "" : Ascii.truncate(subject, MAX_NAME, "…") + ": ";
    String summary = prefix + String.format(Locale.ROOT, format, arguments);
    return Place.atByte(position).of(new HloException(kind, summary));
  }

  private static String unsigned(long value) {
    return Long.toUnsignedString(value);
  }
}
