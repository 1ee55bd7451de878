package org.hlo4j.stablehlo.mlir;

import java.util.HexFormat;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/** A printer of the elements of constants in MLIR text. */
final class ElementText {
  /**
   * The largest number of elements that are listed; larger constants are written as the hexadecimal
   * digits of their bytes.
   */
  private static final int MAX_LISTED = 100;

  private ElementText() {}

  /** Returns a floating-point number in decimal, or its bits in hexadecimal if it is not finite. */
  static String of(double value, Type type) {
    ElementType element = Types.elementType(type).orElse(ElementType.F64);
    return FloatText.of(value, element.encode(value), element);
  }

  /** Returns a number of a dense array; the bits of a float type are decoded. */
  static String ofBits(long bits, Type type) {
    if (type.equals(Types.I1)) {
      return bits == 0 ? "false" : "true";
    }
    return type instanceof Type.Floating
        ? of(Types.elementType(type).orElseThrow().decode(bits), type)
        : Long.toString(bits);
  }

  /** Returns the text between the angle brackets of a dense constant. */
  static String of(Attribute.Dense dense) {
    Literal elements = dense.elements();
    StringBuilder text = new StringBuilder();
    if (dense.isSplat() || DenseElements.isUniform(elements)) {
      element(elements, 0, text);
    } else if (elements.elementCount() > MAX_LISTED) {
      HexFormat hexadecimal = HexFormat.of().withUpperCase();
      text.append("\"0x").append(hexadecimal.formatHex(TensorBytes.whole(elements))).append('"');
    } else if (elements.elementCount() > 0) {
      list(elements, 0, 0, text);
    }
    return text.toString();
  }

  private static int list(Literal elements, int dimension, int linear, StringBuilder text) {
    if (dimension == elements.arrayShape().rank()) {
      element(elements, linear, text);
      return linear + 1;
    }
    int next = linear;
    text.append('[');
    for (int i = 0; i < elements.arrayShape().size(dimension); i++) {
      text.append(i == 0 ? "" : ", ");
      next = list(elements, dimension + 1, next, text);
    }
    text.append(']');
    return next;
  }

  private static void element(Literal elements, int linear, StringBuilder text) {
    ElementType type = elements.elementType();
    if (type.isComplex()) {
      text.append('(').append(component(elements, 2 * linear)).append(',');
      text.append(component(elements, 2 * linear + 1)).append(')');
    } else {
      text.append(component(elements, linear));
    }
  }

  private static String component(Literal elements, int component) {
    ElementType part = elements.elementType().componentType();
    long bits = elements.bitsAt(component);
    if (part.isFloating()) {
      return FloatText.of(part.decode(bits), bits, part);
    }
    if (part == ElementType.PRED) {
      return bits == 0 ? "false" : "true";
    }
    long value = part.wrap(bits);
    return part == ElementType.U64 ? Long.toUnsignedString(value) : Long.toString(value);
  }
}
