package org.hlo4j.hlo.source;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * The elements of arrays as bytes, row-major: each as wide as its type, or a byte if that is
 * narrower; for complex types, real and imaginary parts interleaved.
 */
public final class RawElements {
  private static final int BLOCK_BYTES = 1 << 18;
  private static final int PART_BYTES = 1 << 24;

  private RawElements() {}

  /**
   * Returns the number of bytes of a component of a type.
   *
   * @param type the type of the elements
   * @return the bytes of an element, or of the real part of a complex one
   */
  public static int width(ElementType type) {
    return Math.max(1, type.componentType().bits() / Byte.SIZE);
  }

  /**
   * Returns the number of bytes of an array.
   *
   * @param shape its shape
   * @return the bytes; a double, so that it cannot overflow
   */
  public static double bytes(Shape.Array shape) {
    ElementType type = shape.elementType();
    return (double) shape.elementCount() * width(type) * type.componentCount();
  }

  /**
   * Reads all bytes of an array into a growing buffer, because a header may claim any size.
   *
   * @param in where the bytes are
   * @param shape the shape of the array
   * @return the bytes; the stream itself for a shape that no array can have, which is refused
   * @throws IOException if it cannot be read, or ends before the array does
   */
  public static InputStream announced(InputStream in, Shape.Array shape) throws IOException {
    if (shape.elementCount() > LiteralBuilder.MAX_COMPONENTS) {
      return in;
    }
    List<InputStream> parts = new ArrayList<>();
    for (double left = bytes(shape); left > 0; ) {
      byte[] part = in.readNBytes((int) Math.min(left, PART_BYTES));
      if (part.length == 0) {
        throw new EOFException();
      }
      parts.add(new ByteArrayInputStream(part));
      left -= part.length;
    }
    return new SequenceInputStream(Collections.enumeration(parts));
  }

  /**
   * Reads an array.
   *
   * @param in where its bytes are
   * @param shape its shape
   * @param order the order of the bytes of an element
   * @return the array
   * @throws IOException if it cannot be read, or ends before the array does
   * @throws org.hlo4j.hlo.HloException if such an array cannot be held
   */
  public static Literal read(InputStream in, Shape.Array shape, ByteOrder order)
      throws IOException {
    LiteralBuilder builder = new LiteralBuilder(shape);
    int width = width(shape.elementType());
    int count = components(shape);
    byte[] bytes = block(count, width);
    ByteBuffer block = ByteBuffer.wrap(bytes).order(order);
    DataInputStream data = new DataInputStream(in);
    for (int i = 0; i < count; i += block.remaining() / width) {
      block.limit(Math.min(count - i, block.capacity() / width) * width);
      data.readFully(bytes, 0, block.limit());
      builder.setBits(i, block);
    }
    return builder.build();
  }

  /**
   * Writes an array, little-endian.
   *
   * @param out where to
   * @param array the array
   * @throws IOException if it cannot be written
   */
  public static void write(OutputStream out, Literal array) throws IOException {
    int width = width(array.elementType());
    int count = components(array.arrayShape());
    byte[] bytes = block(count, width);
    ByteBuffer block = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < count; i += block.limit() / width) {
      block.limit(Math.min(count - i, block.capacity() / width) * width);
      array.bitsAt(i, block);
      out.write(bytes, 0, block.limit());
    }
  }

  private static int components(Shape.Array shape) {
    return (int) shape.elementCount() * shape.elementType().componentCount();
  }

  /** Allocates a block for as many components as fit into the cache. */
  private static byte[] block(int count, int width) {
    return new byte[(int) Math.min(BLOCK_BYTES, (long) count * width)];
  }
}
