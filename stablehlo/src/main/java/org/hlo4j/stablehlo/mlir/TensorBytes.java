package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.UNSUPPORTED;

import com.google.common.math.LongMath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * The bytes of a tensor's elements in MLIR's format, which is used in memory and in bytecode:
 * row-major, little-endian, with whole bytes for each element. A splat is stored as one element.
 * Booleans take one bit each, the first in the lowest bit; a splat of booleans is one byte of ones
 * or zeros. Some writers store each boolean in a byte.
 */
final class TensorBytes {
  private TensorBytes() {}

  /**
   * Returns the elements in some bytes. Their number is checked now, and they are decoded on first
   * access.
   */
  static Attribute.Dense dense(Type.Tensor type, ByteReader bytes) {
    ByteBuffer buffer = bytes.buffer();
    int length = buffer.remaining();
    byte first = length == 0 ? 0 : buffer.get(0);
    return dense(type, length, first, () -> buffer, message -> bytes.refusal("%s", message));
  }

  /**
   * Returns the elements in bytes that are not available yet.
   *
   * @param length the number of bytes
   * @param first the first byte
   * @param bytes supplies the bytes on first access
   * @param refusal creates the exception for a wrong number of bytes
   */
  static Attribute.Dense dense(
      Type.Tensor type,
      int length,
      byte first,
      Supplier<ByteBuffer> bytes,
      Function<String, RuntimeException> refusal) {
    long count = count(type, refusal);
    Optional<ElementType> element = Types.storage(type.element());
    int width = element.map(TensorBytes::width).orElse(1);
    boolean bits = type.element().equals(Types.I1);
    boolean splat = length == width && (count == 1 || !bits || isSplatByte(first, count));
    boolean packed = bits && !splat && length == (count + 7) / 8 && length != count;
    boolean fits = count == 0 ? length == 0 : splat || packed || length == count * width;
    if (element.isPresent() && !fits) {
      throw refusal.apply(
          String.format(
              "got %s bytes of elements for %s, want %s, or %s if all are the same",
              length, type, bits ? (count + 7) / 8 : count * width, width));
    }
    return new Attribute.Dense(
        type,
        splat && count != 0,
        () -> {
          ElementType known = element.orElseThrow(() -> unsupported(type));
          Shape.Array shape = splat ? Shape.of(known) : shape(known, type);
          return packed ? unpacked(shape, bytes.get()) : literal(shape, bytes.get());
        });
  }

  private static boolean isSplatByte(byte value, long count) {
    // Newer writers store each boolean in a byte; then one byte for more than eight is also a
    // splat.
    return value == 0 || value == -1 || count > Byte.SIZE;
  }

  /** Returns the elements of a tensor as bytes, or one element if they are all the same. */
  static byte[] of(Attribute.Dense dense) {
    Literal literal = dense.elements();
    ElementType type = literal.elementType();
    if (type == ElementType.PRED) {
      return packed(literal, dense.isSplat());
    }
    return whole(literal);
  }

  /** Returns the elements with whole bytes for each, booleans too. */
  static byte[] whole(Literal literal) {
    ElementType type = literal.elementType();
    int components = literal.elementCount() * type.componentCount();
    byte[] bytes = new byte[components * width(type.componentType())];
    literal.bitsAt(0, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    return bytes;
  }

  private static byte[] packed(Literal literal, boolean splat) {
    if (splat) {
      return new byte[] {(byte) (literal.booleanAt(0) ? 0xff : 0)};
    }
    byte[] bytes = new byte[(literal.elementCount() + 7) / 8];
    for (int i = 0; i < literal.elementCount(); i++) {
      bytes[i / 8] |= (byte) (literal.booleanAt(i) ? 1 << i % 8 : 0);
    }
    return bytes;
  }

  private static Literal unpacked(Shape.Array shape, ByteBuffer bytes) {
    return Literal.ofBits(shape, i -> bytes.get(i / 8) >> i % 8 & 1);
  }

  static Literal literal(Shape.Array shape, ByteBuffer bytes) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    builder.setBits(0, bytes);
    return builder.build();
  }

  static int width(ElementType type) {
    return Math.max(type.bits(), Byte.SIZE) / Byte.SIZE;
  }

  private static long count(Type.Tensor type, Function<String, RuntimeException> refusal) {
    if (!type.isStatic()) {
      throw refusal.apply("got elements of " + type + ", want a tensor of known size");
    }
    long count = 1;
    for (long size : type.sizes()) {
      count = LongMath.saturatedMultiply(count, size);
    }
    if (count < 0 || count > Long.MAX_VALUE / 16) {
      throw refusal.apply("got elements of " + type + ", want a tensor that fits in memory");
    }
    return count;
  }

  static Shape.Array shape(ElementType element, Type.Tensor type) {
    return Shape.of(element, type.sizes().stream().mapToLong(size -> size).toArray());
  }

  static HloException unsupported(Type.Tensor type) {
    return new HloException(UNSUPPORTED, "constant: elements of %s cannot be computed with", type);
  }
}
