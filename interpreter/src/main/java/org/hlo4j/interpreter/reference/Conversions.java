package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.math.Complex;

/** Conversions from one element type to another, by value or by bits. */
final class Conversions {
  private static final double TWO_TO_63 = 0x1p63;

  private Conversions() {}

  /** {@code result[i] = operand[i]} as the new type. */
  static Literal convert(Literal operand, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    ElementType to = shape.elementType();
    for (int i = 0; i < operand.elementCount(); i++) {
      Limits.checkAt(i);
      switch (operand.elementType().kind()) {
        case PRED, SIGNED -> fromLong(result, i, to, operand.longAt(i), false);
        case UNSIGNED -> fromLong(result, i, to, operand.longAt(i), true);
        case FLOAT -> fromDouble(result, i, to, operand.doubleAt(i));
        case COMPLEX -> fromComplex(result, i, to, Elements.complexAt(operand, i));
      }
    }
    return result.build();
  }

  private static void fromLong(
      LiteralBuilder result, int i, ElementType to, long value, boolean unsigned) {
    switch (to.kind()) {
      case PRED, SIGNED, UNSIGNED -> result.setLong(i, value);
      case FLOAT -> result.setDouble(i, toDouble(value, unsigned, to));
      case COMPLEX -> result.setComplex(i, toDouble(value, unsigned, to.componentType()), 0);
    }
  }

  /**
   * Returns a double that rounds to the nearest value of the type: the integer itself if it is
   * exact, else the integer rounded to odd.
   */
  private static double toDouble(long value, boolean unsigned, ElementType to) {
    if (value < 0 && unsigned) {
      long half = (value >>> 1) | (value & 1);
      return 2 * toDouble(half, false, to);
    }
    boolean exact = value == Long.MIN_VALUE || Math.abs(value) <= 1L << 53;
    if (exact || to == ElementType.F64) {
      return (double) value;
    }
    long magnitude = Math.abs(value);
    long sticky = (magnitude & 0x7ff) == 0 ? 0 : 0x800;
    double odd = (double) ((magnitude & ~0x7ffL) | sticky);
    return value < 0 ? -odd : odd;
  }

  private static void fromDouble(LiteralBuilder result, int i, ElementType to, double value) {
    switch (to.kind()) {
      case PRED -> result.setBoolean(i, value != 0);
      case SIGNED -> result.setLong(i, Math.clamp((long) value, to.minLong(), to.maxLong()));
      case UNSIGNED -> result.setLong(i, saturateUnsigned(value, to));
      case FLOAT -> result.setDouble(i, value);
      case COMPLEX -> result.setComplex(i, value, 0);
    }
  }

  private static long saturateUnsigned(double value, ElementType to) {
    if (!(value >= 1)) {
      return 0;
    }
    if (to == ElementType.U64) {
      return value < TWO_TO_63
          ? (long) value
          : value < 2 * TWO_TO_63 ? (long) (value - TWO_TO_63) ^ Long.MIN_VALUE : -1;
    }
    return Math.min((long) value, to.maxLong());
  }

  private static void fromComplex(LiteralBuilder result, int i, ElementType to, Complex value) {
    switch (to.kind()) {
      case PRED -> result.setBoolean(i, value.re() != 0 || value.im() != 0);
      case SIGNED, UNSIGNED, FLOAT -> fromDouble(result, i, to, value.re());
      case COMPLEX -> result.setComplex(i, value.re(), value.im());
    }
  }

  /**
   * Rounds away from zero if {@code random / 2^bits} is below the fraction that rounding towards
   * zero cuts off.
   */
  static Literal stochasticConvert(Literal operand, Literal random, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    ElementType to = shape.elementType();
    double scale = Math.scalb(1.0, -random.elementType().bits());
    for (int i = 0; i < operand.elementCount(); i++) {
      Limits.checkAt(i);
      double chance = toDouble(random.longAt(i), true, ElementType.F64) * scale;
      double value = operand.doubleAt(i);
      boolean finite = Double.isFinite(value);
      fromDouble(result, i, to, finite ? AdjacentValues.of(to, value).pick(value, chance) : value);
    }
    return result.build();
  }

  /** Regroups the bits of the operand, least significant first, into elements of the new type. */
  static Literal bitcast(Literal operand, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    int from = operand.elementType().componentType().bits();
    int to = shape.elementType().componentType().bits();
    int parts = shape.elementType().isComplex() ? 2 : 1;
    int components = (int) shape.elementCount() * parts;
    for (int i = 0; i < components; i++) {
      Limits.checkAt(i);
      result.setBits(i, from >= to ? piece(operand, i, from, to) : joined(operand, i, from, to));
    }
    return result.build();
  }

  private static long piece(Literal operand, int i, int from, int to) {
    int ratio = from / to;
    long bits = operand.bitsAt(i / ratio) >>> (to * (i % ratio));
    return to == 64 ? bits : bits & ((1L << to) - 1);
  }

  private static long joined(Literal operand, int i, int from, int to) {
    int ratio = to / from;
    long bits = 0;
    for (int k = ratio - 1; k >= 0; k--) {
      bits = (bits << from) | (operand.bitsAt(i * ratio + k) & ((1L << from) - 1));
    }
    return bits;
  }

  /** Rounds each float to fewer bits: first the mantissa, then the range of the exponent. */
  static Literal reducePrecision(ReducePrecision op, Literal operand) {
    LiteralBuilder result = new LiteralBuilder(operand.arrayShape());
    ElementType type = operand.elementType();
    ElementType wide = ReducePrecision.computedIn(type);
    for (int i = 0; i < operand.elementCount(); i++) {
      Limits.checkAt(i);
      long bits = operand.bitsAt(i);
      double value = type.decode(bits);
      if (Double.isFinite(value)) {
        long reduced = reduced(op, wide, type == wide ? bits : wide.encode(value));
        result.setBits(i, type == wide ? reduced : type.encode(wide.decode(reduced)));
      } else {
        result.setBits(i, op.mantissaBits() == 0 ? infinity(type, bits) : bits);
      }
    }
    return result.build();
  }

  /**
   * Returns the infinity with the sign of a NaN or an infinity, or what the type has in its place:
   * without mantissa bits there is no NaN.
   */
  private static long infinity(ElementType type, long bits) {
    boolean isNegative = type.hasInfinity() && bits >>> (type.bits() - 1) != 0;
    return type.encode(isNegative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
  }

  private static long reduced(ReducePrecision op, ElementType type, long bits) {
    int mantissaBits = type.mantissaBits();
    long sign = bits & (1L << (type.bits() - 1));
    long magnitude = bits ^ sign;
    if (op.mantissaBits() < mantissaBits) {
      int dropped = mantissaBits - op.mantissaBits();
      long even = magnitude >>> dropped & 1;
      magnitude = (magnitude + (1L << (dropped - 1)) - 1 + even) >>> dropped << dropped;
    }
    int exponentBits = type.bits() - 1 - mantissaBits;
    if (op.exponentBits() < exponentBits) {
      long bias = (1L << (exponentBits - 1)) - 1;
      long reach = (1L << (op.exponentBits() - 1)) - 1;
      long exponent = magnitude >>> mantissaBits;
      if (exponent > bias + reach) {
        return infinity(type, bits);
      }
      magnitude = exponent <= bias - reach ? 0 : magnitude;
    }
    return sign | magnitude;
  }
}
