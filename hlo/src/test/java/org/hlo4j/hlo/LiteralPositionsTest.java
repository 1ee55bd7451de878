package org.hlo4j.hlo;

import static org.hlo4j.hlo.Refusals.assertRefused;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every accessor of an element refuses the positions that an array has not, for all types. */
final class LiteralPositionsTest {
  private static final int SIZE = 3;

  @ParameterizedTest
  @EnumSource(ElementType.class)
  void positionsOutsideAreRefused(ElementType type) {
    Shape.Array shape = Shape.of(type, SIZE);
    Map<String, IntConsumer> byElement = ofElements(shape);
    Map<String, IntConsumer> byComponent = ofComponents(shape);
    int components = SIZE * (type.isComplex() ? 2 : 1);
    byElement.values().forEach(access -> refuses(access, shape, SIZE));
    byComponent.values().forEach(access -> refuses(access, shape, components));
  }

  private static void refuses(IntConsumer access, Shape.Array shape, int size) {
    for (int at = 0; at < size; at++) {
      access.accept(at);
    }
    int[] outside = {
      -1,
      size,
      size + 1,
      1 << 30,
      (1 << 30) + 1,
      Integer.MAX_VALUE,
      Integer.MIN_VALUE,
      Integer.MIN_VALUE + 1,
      -(1 << 30),
      (1 << 31) + SIZE - 1
    };
    for (int at : outside) {
      assertRefused(
          "literal: got position " + at + ", want one of " + shape, () -> access.accept(at));
    }
  }

  /** Accessors whose positions are those of elements. */
  private static Map<String, IntConsumer> ofElements(Shape.Array shape) {
    ElementType type = shape.elementType();
    Literal literal = Literal.zeros(shape);
    Map<String, IntConsumer> all = new LinkedHashMap<>();
    all.put("copy to", at -> LiteralBuilder.zeros(shape).copy(at, literal, 0));
    all.put("copy from", at -> LiteralBuilder.zeros(shape).copy(0, literal, at));
    all.put("convert to", at -> LiteralBuilder.zeros(shape).convert(at, literal, 0));
    all.put("convert from", at -> LiteralBuilder.zeros(shape).convert(0, literal, at));
    all.put("convert a double to", at -> LiteralBuilder.zeros(shape).convert(at, 1.0));
    all.put("scalarAt", at -> LiteralBuilder.zeros(shape).scalarAt(at));
    switch (type.kind()) {
      case PRED, SIGNED, UNSIGNED -> {
        all.put("longAt", literal::longAt);
        all.put("booleanAt", literal::booleanAt);
        all.put("setLong", at -> LiteralBuilder.zeros(shape).setLong(at, 1));
        all.put("setBoolean", at -> LiteralBuilder.zeros(shape).setBoolean(at, true));
      }
      case FLOAT -> {
        all.put("doubleAt", literal::doubleAt);
        all.put("setDouble", at -> LiteralBuilder.zeros(shape).setDouble(at, 1));
      }
      case COMPLEX -> {
        all.put("realAt", literal::realAt);
        all.put("imaginaryAt", literal::imaginaryAt);
        all.put("setComplex", at -> LiteralBuilder.zeros(shape).setComplex(at, 1, 2));
      }
    }
    return all;
  }

  /** Accessors of parts. */
  private static Map<String, IntConsumer> ofComponents(Shape.Array shape) {
    Literal literal = Literal.zeros(shape);
    int width = Math.max(1, shape.elementType().componentType().bits() / 8);
    return Map.of(
        "bitsAt", literal::bitsAt,
        "bitsAt a buffer", at -> literal.bitsAt(at, ByteBuffer.allocate(width)),
        "setBits", at -> LiteralBuilder.zeros(shape).setBits(at, 1),
        "setBits of a buffer",
            at -> LiteralBuilder.zeros(shape).setBits(at, ByteBuffer.allocate(width)));
  }
}
