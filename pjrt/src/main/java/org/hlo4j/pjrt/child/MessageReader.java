package org.hlo4j.pjrt.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Reads what {@link MessageWriter} writes; what is anything else is an {@link IOException}. */
final class MessageReader {
  /** No part. */
  static final Parts<Boolean> NOTHING = reader -> true;

  private final DataInputStream in;

  MessageReader(InputStream in) {
    this.in = new DataInputStream(new BufferedInputStream(in, MessageWriter.BLOCK_BYTES));
  }

  /** The parts of a message. */
  @FunctionalInterface
  interface Parts<T> {
    T readFrom(MessageReader reader) throws IOException;
  }

  /** Reads the beginning of a message and returns its kind. */
  int begin() throws IOException {
    expect(MessageWriter.BEGIN);
    return in.readUnsignedByte();
  }

  /** Reads the parts of a message and its end. */
  <T> T rest(Parts<T> parts) throws IOException {
    T read = parts.readFrom(this);
    expect(MessageWriter.END);
    return read;
  }

  private void expect(int word) throws IOException {
    int got = in.readInt();
    if (got != word) {
      throw new IOException(String.format("got the word %08x, want %08x", got, word));
    }
  }

  int number() throws IOException {
    return in.readInt();
  }

  byte[] bytes() throws IOException {
    int length = count();
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  private int count() throws IOException {
    int count = in.readInt();
    if (count < 0) {
      throw new IOException("got the length " + count + ", want at least 0");
    }
    return count;
  }

  String text() throws IOException {
    return new String(bytes(), UTF_8);
  }

  ImmutableList<String> texts() throws IOException {
    return list(MessageReader::text);
  }

  ImmutableList<Literal> literals() throws IOException {
    return list(MessageReader::literal);
  }

  <T> ImmutableList<T> list(Parts<T> element) throws IOException {
    ImmutableList.Builder<T> list = ImmutableList.builder();
    for (int left = count(); left > 0; left--) {
      list.add(element.readFrom(this));
    }
    return list.build();
  }

  Literal literal() throws IOException {
    String text = text();
    if (text.isEmpty()) {
      return Literal.tuple(literals());
    }
    Shape shape = shape(text);
    return shape instanceof Shape.Array array ? array(array) : Literal.token();
  }

  private static Shape shape(String text) throws IOException {
    try {
      return Shape.parse(text);
    } catch (HloException unreadable) {
      throw new IOException("got the shape " + unreadable.summary());
    }
  }

  private Literal array(Shape.Array shape) throws IOException {
    int width = MessageWriter.width(shape);
    long count = MessageWriter.components(shape);
    long bytes = in.readLong();
    if (bytes != count * width) {
      throw new IOException("got " + bytes + " bytes, want " + count * width + " of " + shape);
    }
    LiteralBuilder array = new LiteralBuilder(shape);
    byte[] read = new byte[MessageWriter.BLOCK_BYTES];
    ByteBuffer block = ByteBuffer.wrap(read).order(ByteOrder.LITTLE_ENDIAN);
    for (long i = 0; i < count; i += block.limit() / width) {
      block.limit((int) Math.min(count - i, read.length / width) * width);
      in.readFully(read, 0, block.limit());
      array.setBits((int) i, block);
    }
    return array.build();
  }
}
