package org.hlo4j.stablehlo.mlir;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/**
 * Elements as bytes: row-major, little-endian, booleans a byte each or packed from the lowest bit.
 */
final class RawElements {
  private RawElements() {}

  /** The elements; empty if there are other than as many bytes as they take. */
  static Optional<Literal> decode(byte[] bytes, Shape.Array shape) {
    ElementType part = shape.elementType().componentType();
    long components = shape.elementCount() * (shape.elementType().isComplex() ? 2 : 1);
    int width = Math.max(1, part.bits() / 8);
    if (part == ElementType.PRED && bytes.length != components) {
      return packed(bytes, shape, components);
    }
    if (bytes.length == width && components > 1 && !shape.elementType().isComplex()) {
      return Optional.of(splat(bytes, shape));
    }
    if (bytes.length != components * width) {
      return Optional.empty();
    }
    LiteralBuilder builder = new LiteralBuilder(shape);
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (components > 0) {
      builder.setBits(0, buffer);
    }
    return Optional.of(builder.build());
  }

  private static Literal splat(byte[] bytes, Shape.Array shape) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(shape.elementType()));
    scalar.setBits(0, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
    return scalar.build().repeated(shape.sizes());
  }

  private static Optional<Literal> packed(byte[] bytes, Shape.Array shape, long components) {
    boolean splat = bytes.length == 1 && (bytes[0] == -1 || bytes[0] == 0) && components > 8;
    if (bytes.length != (components + 7) / 8 && !splat) {
      return Optional.empty();
    }
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < components; i++) {
      builder.setBoolean(i, (bytes[splat ? 0 : i / 8] >> (splat ? 0 : i % 8) & 1) != 0);
    }
    return Optional.of(builder.build());
  }
}
