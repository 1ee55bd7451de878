package org.hlo4j.pjrt.child;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * Writes messages to the other process. A message is {@link #BEGIN}, its kind, its parts, each with
 * its length before it, and {@link #END}: without that word it is not finished, whatever became of
 * the process.
 */
final class MessageWriter {
  static final int BEGIN = 0x686c6f34;
  static final int END = 0x646f6e65;

  /** The bytes of an array are written in blocks of so many. */
  static final int BLOCK_BYTES = 1 << 16;

  private final DataOutputStream out;

  MessageWriter(OutputStream out) {
    this.out = new DataOutputStream(new BufferedOutputStream(out, BLOCK_BYTES));
  }

  /** The parts of a message. */
  @FunctionalInterface
  interface Parts {
    /** No part. */
    Parts NONE = writer -> {};

    void writeTo(MessageWriter writer) throws IOException;
  }

  /** Writes a message and sends it. */
  void message(int kind, Parts parts) throws IOException {
    out.writeInt(BEGIN);
    out.writeByte(kind);
    parts.writeTo(this);
    out.writeInt(END);
    out.flush();
  }

  void number(int value) throws IOException {
    out.writeInt(value);
  }

  void bytes(byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  void text(String text) throws IOException {
    bytes(text.getBytes(UTF_8));
  }

  void texts(List<String> texts) throws IOException {
    number(texts.size());
    for (String text : texts) {
      text(text);
    }
  }

  void literals(List<Literal> literals) throws IOException {
    number(literals.size());
    for (Literal literal : literals) {
      literal(literal);
    }
  }

  /** Writes a shape and, for an array, the bytes of its elements, little-endian. */
  void literal(Literal literal) throws IOException {
    switch (literal.shape()) {
      case Shape.Array shape -> {
        text(shape.toString());
        array(literal, shape);
      }
      case Shape.Tuple _ -> {
        text("");
        literals(literal.elements());
      }
      case Shape other -> text(other.toString());
    }
  }

  private void array(Literal literal, Shape.Array shape) throws IOException {
    int width = width(shape);
    long count = components(shape);
    out.writeLong(count * width);
    ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    for (long i = 0; i < count; i += block.limit() / width) {
      block.limit((int) Math.min(count - i, BLOCK_BYTES / width) * width);
      literal.bitsAt((int) i, block);
      out.write(block.array(), 0, block.limit());
    }
  }

  /** The bytes of a number, or of the real or imaginary part of a complex one. */
  static int width(Shape.Array shape) {
    return Math.max(1, shape.elementType().componentType().bits() / Byte.SIZE);
  }

  static long components(Shape.Array shape) {
    return shape.elementCount() * shape.elementType().componentCount();
  }
}
