package org.hlo4j.stablehlo.mlir;

import com.google.common.base.Ascii;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.Arrays;
import java.util.Locale;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.schema.ByteStrings;
import org.jspecify.annotations.Nullable;

/** A cursor over a part of a file of MLIR bytecode. It never reads beyond that part. */
final class ByteReader {
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

  /** Returns a cursor over the next bytes, and moves this one past them. */
  ByteReader slice(int length) {
    ByteReader slice = new ByteReader(file, position, position + length);
    slice.subject = subject;
    position += length;
    return slice;
  }

  /** Returns a cursor over all remaining bytes, and leaves this one unchanged. */
  ByteReader rest() {
    ByteReader rest = new ByteReader(file, position, limit);
    rest.subject = subject;
    return rest;
  }

  byte[] file() {
    return file;
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
    if (position >= limit) {
      throw refusal("the file ends here, want more bytes");
    }
    return file[position++] & 0xff;
  }

  /**
   * Reads an unsigned number; the number of trailing zeros of the first byte is the number of bytes
   * that follow.
   */
  long varint() {
    int first = readByte();
    if ((first & 1) != 0) {
      return first >> 1;
    }
    int more = first == 0 ? 8 : Integer.numberOfTrailingZeros(first);
    if (remaining() < more) {
      throw refusal("the file ends inside a number");
    }
    long value = first == 0 ? 0 : first >>> (more + 1);
    int shift = first == 0 ? 0 : 7 - more;
    for (int i = 0; i < more; i++) {
      value |= (file[position++] & 0xffL) << (shift + 8 * i);
    }
    return value;
  }

  /** Reads a signed number, with the sign in the lowest bit. */
  long signed() {
    long value = varint();
    return (value >>> 1) ^ -(value & 1);
  }

  /** Reads the number of elements that follow; each takes at least a byte. */
  int count(String what) {
    long count = varint();
    if (count < 0 || count > remaining()) {
      throw refusal("got %s %s, but only %s bytes follow", unsigned(count), what, remaining());
    }
    return (int) count;
  }

  /** Reads an index into a table. */
  int index(int size, String what) {
    return index(varint(), size, what);
  }

  /** Checks an index into a table. */
  int index(long index, int size, String what) {
    if (index < 0 || index >= size) {
      throw refusal("got %s %s, the file has %s of them", what, unsigned(index), size);
    }
    return (int) index;
  }

  /** Reads up to the next zero byte, and returns the bytes before it as a range of the file. */
  ByteReader zeroTerminated(String what) {
    int end = position;
    while (end < limit && file[end] != 0) {
      end++;
    }
    if (end == limit) {
      throw refusal("got %s without an end", what);
    }
    ByteReader text = slice(end - position);
    position++;
    return text;
  }

  /** Skips the padding before data that are aligned to a multiple of a power of two. */
  void align(long alignment) {
    if (alignment <= 0 || Long.bitCount(alignment) != 1) {
      throw refusal("got alignment %s, want a power of two", unsigned(alignment));
    }
    while (position % alignment != 0) {
      if (readByte() != 0xCB) {
        throw refusal("got another byte than CB before aligned data");
      }
    }
  }

  /** Returns the remaining bytes as text. */
  String text() {
    return ByteStrings.decoded(Arrays.copyOfRange(file, position, position + remaining()));
  }

  /** Returns a refusal that names the byte and the entry that is being read. */
  @FormatMethod
  HloException refusal(@FormatString String format, @Nullable Object... arguments) {
    return refusal(HloException.Kind.PARSE, format, arguments);
  }

  /** Returns a refusal of a kind, at this position. */
  @FormatMethod
  HloException refusal(
      HloException.Kind kind, @FormatString String format, @Nullable Object... arguments) {
    String prefix = subject.isEmpty() ? "" : Ascii.truncate(subject, MAX_NAME, "…") + ": ";
    String summary = prefix + String.format(Locale.ROOT, format, arguments);
    return Place.atByte(position).of(new HloException(kind, summary));
  }

  private static String unsigned(long value) {
    return Long.toUnsignedString(value);
  }
}
