package org.hlo4j.hlo;

import com.google.common.math.LongMath;

/**
 * The HLO text of literals: {@code { { 1, 2 }, { 3, 4 } }}.
 *
 * <p>Numbers have the digits that XLA prints: {@code %g} with as many as the type always keeps, or
 * enough to read the same value back. A negative zero is written {@code -0.0}, since XLA reads
 * {@code -0} as the integer 0. From rank 4 on, a comment gives the index of each row.
 */
final class LiteralText {
  /** The most rows without elements that are written; XLA wants all of them or {@code {...}}. */
  private static final long MAX_EMPTY_ROWS = 100;

  private final StringBuilder text = new StringBuilder();
  private final int limit;

  /** The number of elements of this array written so far; the linear index of the next one. */
  private int written;

  /** Writes at most {@code limit} elements; the rest of a row is {@code ...}. */
  LiteralText(int limit) {
    this.limit = limit;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  LiteralText append(Literal literal) {
    switch (literal.shape()) {
      case Shape.Array array when literal.isElided() -> text.append("{...}");
      case Shape.Array array when emptyRowCount(array) > MAX_EMPTY_ROWS ->
          text.append("{...}"); // leaves nothing out: there are no elements
      case Shape.Array array when array.isScalar() -> appendElement(literal, array, 0);
      case Shape.Array array -> {
        written = 0;
        appendRows(literal, array, 0, 0);
      }
      case Shape.Tuple tuple -> {
        text.append("( ");
        for (int i = 0; i < tuple.elements().size(); i++) {
          text.append(i == 0 ? "" : ", ");
          append(literal.element(i));
        }
        text.append(" )");
      }
      case Shape.Buffer buffer -> throw new AssertionError(buffer);
      case Shape.Token token -> text.append("token");
      case Shape.Opaque opaque -> text.append("opaque");
    }
    return this;
  }

  /** Returns how many rows without elements an array has, 0 if it has elements. */
  private static long emptyRowCount(Shape.Array shape) {
    long rows = 1;
    for (int i = 0; i < shape.rank() && shape.size(i) > 0; i++) {
      rows = LongMath.saturatedMultiply(rows, shape.size(i));
    }
    return shape.elementCount() == 0 ? rows : 0;
  }

  /** One row of a dimension, which is the so-maniest of the dimension before. */
  private void appendRows(Literal literal, Shape.Array shape, int dimension, long index) {
    boolean last = dimension == shape.rank() - 1;
    long size = shape.size(dimension);
    boolean spaced = shape.rank() > 1 && !(last && size <= 1);
    text.append(spaced ? "{ " : "{");
    if (shape.rank() > 3 && dimension > 0 && !last) {
      text.append("/*i").append(dimension - 1).append('=').append(index).append("*/");
      text.append(size == 0 ? "" : " ");
    }
    for (long i = 0; i < size; i++) {
      text.append(i == 0 ? "" : ", ");
      if (written >= limit) {
        text.append("...");
        break;
      }
      if (last) {
        appendElement(literal, shape, written++);
      } else {
        appendRows(literal, shape, dimension + 1, i);
      }
    }
    text.append(spaced ? " }" : "}");
  }

  private void appendElement(Literal literal, Shape.Array shape, int linear) {
    ElementType type = shape.elementType();
    switch (type.kind()) {
      case PRED -> {
        boolean value = literal.booleanAt(linear);
        text.append(shape.isScalar() ? String.valueOf(value) : value ? "1" : "0");
      }
      case SIGNED -> text.append(literal.longAt(linear));
      case UNSIGNED -> text.append(Long.toUnsignedString(literal.longAt(linear)));
      case FLOAT -> text.append(number(type, literal.bitsAt(linear)));
      case COMPLEX -> {
        ElementType part = type.componentType();
        text.append('(').append(number(part, literal.bitsAt(2 * linear))).append(", ");
        text.append(number(part, literal.bitsAt(2 * linear + 1))).append(')');
      }
    }
  }

  /** Returns one floating-point number, from its bits. */
  static String number(ElementType type, long bits) {
    double value = type.decode(bits);
    if (Double.isNaN(value)) {
      return nan(type, bits);
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "inf" : "-inf";
    }
    if (value == 0) {
      return 1 / value > 0 ? "0" : "-0.0";
    }
    if (type.bits() >= 32) {
      return type == ElementType.F64 ? shortest(type, value, 15, 17) : shortest(type, value, 6, 9);
    }
    return general(value, (int) Math.ceil((type.mantissaBits() + 1) * Math.log10(2) + 1));
  }

  private static String shortest(ElementType type, double value, int few, int many) {
    String text = general(value, few);
    return type.round(Double.parseDouble(text)) == value ? text : general(value, many);
  }

  /** Returns a NaN with sign, and with payload if it is not the plain quiet NaN. */
  private static String nan(ElementType type, long bits) {
    boolean negative = type != ElementType.F8E8M0FNU && (bits >>> (type.bits() - 1) & 1) == 1;
    String sign = negative ? "-" : "";
    long payload = bits & ((1L << type.mantissaBits()) - 1);
    boolean plain = !type.hasInfinity() || payload == 1L << (type.mantissaBits() - 1);
    return sign + (plain ? "nan" : "nan(0x" + Long.toHexString(payload) + ")");
  }

  /** Formats a number as C's {@code %.{digits}g}. */
  private static String general(double value, int digits) {
    Decimal decimal = Decimal.of(Math.abs(value), digits);
    boolean isPlain = decimal.exponent() >= -4 && decimal.exponent() < digits;
    return (value < 0 ? "-" : "") + (isPlain ? decimal.plain() : decimal.scientific());
  }
}
