package org.hlo4j.stablehlo.mlir;

import com.google.common.math.LongMath;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
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
    int length = bytes.remaining();
    long count = count(type, bytes);
    Optional<ElementType> element = storage(type.element());
    int width = element.map(TensorBytes::width).orElse(1);
    boolean bits = type.element().equals(Types.I1);
    boolean splat = length == width && (count == 1 || !bits || isSplatByte(bytes, count));
    boolean packed = bits && !splat && length == (count + 7) / 8 && length != count;
    boolean fits = count == 0 ? length == 0 : splat || packed || length == count * width;
    if (element.isPresent() && !fits) {
      throw bytes.refusal(
          "got %s bytes of elements for %s, want %s, or %s if all are the same",
          length, type, bits ? (count + 7) / 8 : count * width, width);
    }
    byte[] file = bytes.file();
    int start = bytes.position();
    return new Attribute.Dense(
        type,
        splat && count != 0,
        () -> {
          ElementType known = element.orElseThrow(() -> unsupported(type));
          Shape.Array shape = splat ? Shape.of(known) : shape(known, type);
          return packed
              ? unpacked(shape, file, start)
              : bits ? booleans(shape, file, start) : literal(shape, file, start, length);
        });
  }

  private static boolean isSplatByte(ByteReader bytes, long count) {
    byte value = bytes.file()[bytes.position()];
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

  private static Literal unpacked(Shape.Array shape, byte[] file, int start) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setBoolean(i, (file[start + i / 8] >> i % 8 & 1) != 0);
    }
    return builder.build();
  }

  private static Literal booleans(Shape.Array shape, byte[] file, int start) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      builder.setBoolean(i, file[start + i] != 0);
    }
    return builder.build();
  }

  private static Literal literal(Shape.Array shape, byte[] file, int start, int length) {
    LiteralBuilder builder = new LiteralBuilder(shape);
    builder.setBits(0, ByteBuffer.wrap(file, start, length).order(ByteOrder.LITTLE_ENDIAN));
    return builder.build();
  }

  /** The element type of HLO whose values are stored for a type; empty if HLO has none. */
  private static Optional<ElementType> storage(Type element) {
    return switch (element) {
      case Type.Quantized quantized -> Types.elementType(quantized.storage());
      case Type.Simple simple when simple == Type.Simple.INDEX -> Optional.of(ElementType.S64);
      default -> Types.elementType(element);
    };
  }

  private static int width(ElementType type) {
    return Math.max(type.bits(), Byte.SIZE) / Byte.SIZE;
  }

  private static long count(Type.Tensor type, ByteReader bytes) {
    if (!type.isStatic()) {
      throw bytes.refusal("got elements of %s, want a tensor of known size", type);
    }
    long count = 1;
    for (long size : type.sizes()) {
      count = LongMath.saturatedMultiply(count, size);
    }
    if (count < 0 || count > Long.MAX_VALUE / 16) {
      throw bytes.refusal("got elements of %s, want a tensor that fits in memory", type);
    }
    return count;
  }

  private static Shape.Array shape(ElementType element, Type.Tensor type) {
    return Shape.of(element, type.sizes().stream().mapToLong(size -> size).toArray());
  }

  private static HloException unsupported(Type.Tensor type) {
    return new HloException(
        HloException.Kind.UNSUPPORTED,
        "constant: elements of " + type + " cannot be computed with");
  }
}
