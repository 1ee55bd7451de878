package org.hlo4j.interpreter.reference;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.interpreter.engine.Limits;

/** Conversions from one element type to another, by value or by bits. */
final class Conversions {
  private Conversions() {}

  /** {@code result[i] = operand[i]} as the new type. */
  static Literal convert(Literal operand, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    for (int i = 0; i < operand.elementCount(); i++) {
      Limits.checkAt(i);
      result.convert(i, operand, i);
    }
    return result.build();
  }

  /**
   * Rounds away from zero if the random number is below the fraction that rounding towards zero
   * cuts off, as an integer of as many bits.
   */
  static Literal stochasticConvert(Literal operand, Literal random, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    ElementType to = shape.elementType();
    int bits = random.elementType().bits();
    for (int i = 0; i < operand.elementCount(); i++) {
      Limits.checkAt(i);
      double value = operand.doubleAt(i);
      if (Double.isFinite(value)) {
        value = AdjacentValues.of(to, value).pick(value, random.longAt(i), bits);
      }
      result.convert(i, value);
    }
    return result.build();
  }

  /** Regroups the bits of the operand, least significant first, into elements of the new type. */
  static Literal bitcast(Literal operand, Shape.Array shape) {
    LiteralBuilder result = new LiteralBuilder(shape);
    int from = BitcastConvert.width(operand.elementType().componentType());
    int to = BitcastConvert.width(shape.elementType().componentType());
    int parts = shape.elementType().componentCount();
    int components = (int) shape.elementCount() * parts;
    for (int i = 0; i < components; i++) {
      Limits.checkAt(i);
      result.setBits(i, from >= to ? bitsOf(operand, i, from, to) : joined(operand, i, from, to));
    }
    return result.build();
  }

  private static long bitsOf(Literal operand, int i, int from, int to) {
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

  /**
   * Rounds each float to fewer bits: first the mantissa, then the range of the exponent. Infinities
   * and NaNs stay.
   */
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
        result.setBits(i, bits);
      }
    }
    return result.build();
  }

  /** Returns the infinity with the sign of a number, or what the type has in its place. */
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
