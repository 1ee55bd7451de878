package org.hlo4j.interpreter.compiled.codegen;

import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.F16;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;

import org.hlo4j.hlo.ElementType;

/**
 * Conversions of float types narrower than f32: from their bits, to their bits, and rounding to
 * them. Both code emitters use the same formulas. Only {@code f8e8m0fnu}, whose format is unlike
 * all others, has scalar code alone.
 */
public final class NarrowFloats {
  private static final int F32_MANTISSA = 23;
  private static final int F64_MANTISSA = 52;
  private static final int F32_BIAS = 127;
  private static final int F32_INFINITY = 0x7f800000;
  private static final int F32_NAN = 0x7fc00000;

  private final CodeEmitter emitter;
  private final ElementType type;
  private final int mantissa;
  private final int signBit;
  private final int smallestExponent;

  private NarrowFloats(CodeEmitter emitter, ElementType type) {
    this.emitter = emitter;
    this.type = type;
    this.mantissa = type.mantissaBits();
    this.signBit = 1 << (type.bits() - 1);
    this.smallestExponent = Math.getExponent(type.decode(1L << mantissa));
  }

  /**
   * Returns whether a type has scalar code only, because its exponents exceed the range of lane F32
   * and its bits do not suit the formulas.
   */
  public static boolean isScalarOnly(ElementType type) {
    return type == F8E8M0FNU;
  }

  /**
   * Returns whether elements of a type are held in a lane of more precision, rounded to the type.
   */
  public static boolean isNarrow(ElementType type) {
    return type.isFloating() && type.bits() < 32;
  }

  /** Returns whether the highest bit is a sign bit for all values, including 0. */
  public static boolean hasSign(ElementType type) {
    return type.encode(-0.0) == type.encode(0.0) + (1L << (type.bits() - 1));
  }

  // ---- from bits

  /** Returns the values, in lane F32, of bits in lane I32, whose higher bits are zero. */
  public static Value decode(CodeEmitter emitter, ElementType type, Value bits) {
    if (type == BF16) {
      return emitter.reinterpret(emitter.shiftLeft(bits, 16));
    } else if (type == F8E8M0FNU) {
      return emitter.call(ScalarCalls.class, "decodePower", Lane.F32, bits);
    } else if (type == F16 && emitter.canCall()) {
      String method = emitter.preservesNaNs() ? "decodeHalf" : "numberOfHalf";
      return emitter.call(ScalarCalls.class, method, Lane.F32, bits);
    }
    return new NarrowFloats(emitter, type).decode(bits);
  }

  private Value decode(Value bits) {
    Value magnitude = emitter.and(bits, integer(signBit - 1));
    Value shifted = emitter.shiftLeft(magnitude, F32_MANTISSA - mantissa);
    Value sign = emitter.shiftLeft(emitter.and(bits, integer(signBit)), Integer.SIZE - type.bits());
    Value scaled = emitter.multiply(emitter.reinterpret(shifted), float32(decodeScale()));
    int ones = type.hasInfinity() ? F32_INFINITY : F32_NAN;
    Value special = emitter.reinterpret(emitter.or(shifted, integer(ones)));
    Value isSpecial = isSpecial(bits, magnitude);
    Value value = emitter.select(isSpecial, special, scaled);
    Value signed = emitter.reinterpret(emitter.or(emitter.reinterpret(value), sign));
    return isUnsignedZero() ? emitter.select(isSpecial, special, signed) : signed;
  }

  /**
   * Returns 2^(127 - bias), the factor that adjusts the exponent bias of the type to that of f32.
   */
  private double decodeScale() {
    return Math.scalb(1.0, F32_BIAS - 1 + smallestExponent);
  }

  /** Returns whether the bits encode an infinity or a NaN. */
  private Value isSpecial(Value bits, Value magnitude) {
    if (type.hasInfinity()) {
      int infinity = (int) type.encode(Double.POSITIVE_INFINITY);
      return emitter.compare(Relation.GE, magnitude, integer(infinity));
    } else if (type.hasNaN()) {
      return emitter.compare(Relation.EQ, isUnsignedZero() ? bits : magnitude, integer(nan()));
    }
    return emitter.constant(Lane.MASK, 0);
  }

  private int nan() {
    return (int) type.encode(Double.NaN);
  }

  /** Returns whether the type has no -0. */
  private boolean isUnsignedZero() {
    return !hasSign(type);
  }

  // ---- to bits

  /** Returns the bits, in lane I32, of values in lane F32 that are representable in the type. */
  public static Value encode(CodeEmitter emitter, ElementType type, Value value) {
    if (type == BF16) {
      return emitter.shiftRightLogical(emitter.reinterpret(value), 16);
    } else if (type == F8E8M0FNU) {
      return emitter.call(ScalarCalls.class, "encodePower", Lane.I32, value);
    } else if (type == F16 && emitter.canCall()) {
      String method = emitter.preservesNaNs() ? "encodeHalf" : "halfOfNumber";
      return emitter.call(ScalarCalls.class, method, Lane.I32, value);
    }
    return new NarrowFloats(emitter, type).encode(value);
  }

  private Value encode(Value value) {
    Value scaled = emitter.multiply(emitter.abs(value), float32(1 / decodeScale()));
    Value isNaN = emitter.compare(Relation.NE, value, value);
    Value magnitude =
        emitter.select(isNaN, encodedNaN(value), encoded(emitter.reinterpret(scaled)));
    Value signs = emitter.shiftRightLogical(emitter.reinterpret(value), Integer.SIZE - type.bits());
    return emitter.or(magnitude, emitter.and(signs, integer(signBit)));
  }

  private Value encoded(Value bits) {
    Value shifted = emitter.shiftRightLogical(bits, F32_MANTISSA - mantissa);
    return emitter.and(shifted, integer(signBit - 1));
  }

  /** Returns the bits of a NaN. Types with infinities keep the payload. */
  private Value encodedNaN(Value value) {
    return type.hasInfinity() ? encoded(emitter.reinterpret(value)) : integer(nan());
  }

  // ---- rounding

  /**
   * Rounds to the nearest value of the type, halves to even, in the lane of the operand: F32 or
   * F64.
   */
  public static Value round(CodeEmitter emitter, ElementType type, Value value) {
    if (type == F8E8M0FNU) {
      Value wide = emitter.convert(value, Lane.F64);
      Value rounded = emitter.call(ScalarCalls.class, "roundPower", Lane.F64, wide);
      return emitter.convert(rounded, value.lane());
    } else if (type == BF16 && value.lane() == Lane.F32) {
      return roundBrain(emitter, value);
    } else if (type == F16 && value.lane() == Lane.F32 && emitter.canCall()) {
      return emitter.call(ScalarCalls.class, "roundHalf", Lane.F32, value);
    }
    return new NarrowFloats(emitter, type).round(value);
  }

  /**
   * Rounds to bf16. Its exponents are those of f32, so that it suffices to round the mantissa bits.
   */
  private static Value roundBrain(CodeEmitter emitter, Value value) {
    Value bits = emitter.reinterpret(value);
    Value cut = cut(emitter, bits, F32_MANTISSA - BF16.mantissaBits());
    Value isNaN = emitter.compare(Relation.NE, value, value);
    return emitter.select(isNaN, emitter.constant(Lane.F32, Float.NaN), emitter.reinterpret(cut));
  }

  /** Rounds bits to a multiple of 2^dropped, halves to even. A carry increments the exponent. */
  public static Value cut(CodeEmitter emitter, Value bits, int dropped) {
    Lane lane = bits.lane();
    Value last = emitter.and(emitter.shiftRightLogical(bits, dropped), emitter.constant(lane, 1));
    Value half = emitter.constant(lane, (1L << (dropped - 1)) - 1);
    return emitter.and(
        emitter.add(emitter.add(bits, half), last), emitter.constant(lane, -1L << dropped));
  }

  private Value round(Value value) {
    Lane lane = value.lane();
    Value magnitude = emitter.abs(value);
    int wide = lane == Lane.F32 ? F32_MANTISSA : F64_MANTISSA;
    Value cut = emitter.reinterpret(cut(emitter, emitter.reinterpret(magnitude), wide - mantissa));
    // Adding this constant rounds a subnormal number to the precision of the type.
    Value tiny = emitter.constant(lane, Math.scalb(1.0, smallestExponent - mantissa + wide));
    Value small = emitter.subtract(emitter.add(magnitude, tiny), tiny);
    Value isSmall =
        emitter.compare(
            Relation.LT, magnitude, emitter.constant(lane, Math.scalb(1.0, smallestExponent)));
    Value near = emitter.select(isSmall, small, cut);
    Value isLarge = emitter.compare(Relation.GT, near, emitter.constant(lane, type.maxFinite()));
    Value bounded = emitter.select(isLarge, emitter.constant(lane, overflow()), near);
    Value signed = emitter.withSign(bounded, value);
    if (isUnsignedZero()) {
      Value isZero = emitter.compare(Relation.EQ, bounded, emitter.constant(lane, 0));
      signed = emitter.select(isZero, bounded, signed);
    }
    Value isNaN = emitter.compare(Relation.NE, value, value);
    Value becomesNaN = Double.isNaN(overflow()) ? emitter.or(isNaN, isLarge) : isNaN;
    return emitter.select(becomesNaN, emitter.constant(lane, type.decode(nan())), signed);
  }

  private double overflow() {
    return type.decode(type.encode(Double.POSITIVE_INFINITY));
  }

  private Value integer(int number) {
    return emitter.constant(Lane.I32, number);
  }

  private Value float32(double number) {
    return emitter.constant(Lane.F32, number);
  }
}
