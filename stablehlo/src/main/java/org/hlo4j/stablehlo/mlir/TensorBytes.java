package org.hlo4j.stablehlo.mlir;

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
 * The elements of a tensor as MLIR keeps them in memory and in bytecode: row-major, little-endian,
 * each in whole bytes; one element if all are the same. Booleans are a bit each, the first in the
 * lowest bit, all of them in one byte of ones or zeros if they are the same; some writers give each
 * a byte.
 */
final class TensorBytes {
  private TensorBytes() {}

  /** The elements in some bytes, which are checked now and decoded when they are asked for. */
  static Attribute.Dense dense(Type.Tensor type, ByteReader bytes) {
    byte[] file = bytes.file();
    int start = bytes.position();
    int length = bytes.remaining();
    return dense(
        type,
        length,
        length == 0 ? 0 : file[start],
        () -> ByteBuffer.wrap(file, start, length).slice().order(ByteOrder.LITTLE_ENDIAN),
        message -> bytes.refusal("%s", message));
  }

  /**
   * The same of bytes that are not at hand yet.
   *
   * @param length how many bytes there are
   * @param first the first of them
   * @param bytes gives them when the elements are asked for
   * @param refusal what is thrown if their number is not right
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
          return packed
              ? unpacked(shape, bytes.get())
              : bits ? booleans(shape, bytes.get()) : literal(shape, bytes.get());
        });
  }

  private static boolean isSplatByte(byte value, long count) {
    // Newer writers give each boolean a byte; then one byte for more than eight is a splat, too.
    return value == 0 || value == -1 || count > Byte.SIZE;
  }

  /** The elements of a tensor, or one if they are all the same, as bytes. */
  static byte[] of(Attribute.Dense dense) {
    Literal literal = dense.elements();
    ElementType type = literal.elementType();
    if (type == ElementType.PRED) {
      return packed(literal, dense.isSplat());
    }
    int components = literal.elementCount() * (type.isComplex() ? 2 : 1);
    byte[] bytes = new byte[components * width(type.componentType())];
    if (type.componentType().bits() < Byte.SIZE) {
      for (int i = 0; i < components; i++) {
        bytes[i] = (byte) literal.bitsAt(i);
      }
    } else {
      literal.bitsAt(0, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    }
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
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setBoolean(i, (bytes.get(i / 8) >> i % 8 & 1) != 0);
    }
    return builder.build();
  }

  private static Literal booleans(Shape.Array shape, ByteBuffer bytes) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setBoolean(i, bytes.get(i) != 0);
    }
    return builder.build();
  }

  private static Literal literal(Shape.Array shape, ByteBuffer bytes) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    builder.setBits(0, bytes);
    return builder.build();
  }

  private static int width(ElementType type) {
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
    return new HloException(
        HloException.Kind.UNSUPPORTED,
        "constant: elements of " + type + " cannot be computed with");
  }
}
