package org.hlo4j.interpreter.compiled.math;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.NarrowFloats;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Relation;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Generated code for conversions between element types, by value or by bits, as {@code Conversions}
 * of the reference does them.
 */
final class LaneConversions {
  private static final int HALF_OF_INT = 16;
  private static final int LOW_HALF = 0xffff;

  private LaneConversions() {}

  /** Rounds floats to their type. */
  static Value rounded(CodeEmitter emitter, ElementType type, Value value) {
    return NarrowFloats.isNarrow(type) ? NarrowFloats.round(emitter, type, value) : value;
  }

  // ---- by value

  static Value convert(CodeEmitter emitter, ElementType from, ElementType to, Value value) {
    if (from == to) {
      return value;
    }
    return switch (to.kind()) {
      case PRED -> emitter.convert(value, Lane.MASK);
      case SIGNED, UNSIGNED -> toInteger(emitter, from, to, value);
      case FLOAT -> toFloat(emitter, from, to, value);
      case COMPLEX -> throw new NoCodeException("no code for " + to);
    };
  }

  private static Value toInteger(
      CodeEmitter emitter, ElementType from, ElementType to, Value value) {
    if (from.isFloating()) {
      return saturated(emitter, to, value);
    }
    boolean widens = Lane.of(to) == Lane.I64 && value.lane() == Lane.I32;
    Value carrier =
        widens
            ? IntegerFunctions.widened(emitter, from, value)
            : emitter.convert(value, Lane.of(to));
    return fits(from, to) ? carrier : IntegerFunctions.wrap(emitter, to, carrier);
  }

  private static boolean fits(ElementType from, ElementType to) {
    return from.kind() == to.kind() && from.bits() <= to.bits();
  }

  private static Value saturated(CodeEmitter emitter, ElementType to, Value value) {
    Lane reach = Lane.of(to);
    boolean isFull = to.bits() == reach.bits();
    if (isFull && IntegerFunctions.isUnsigned(to)) {
      return saturatedUnsigned(emitter, value, reach);
    }
    Value whole = emitter.convert(value, reach);
    if (isFull) {
      return whole;
    }
    Value least = emitter.constant(reach, to.minLong());
    return emitter.min(emitter.max(whole, least), emitter.constant(reach, to.maxLong()));
  }

  /**
   * Converts to an unsigned integer, with saturation. The upper half of the range is converted as
   * signed, after subtracting the number at which it begins.
   */
  private static Value saturatedUnsigned(CodeEmitter emitter, Value value, Lane to) {
    Value half = emitter.constant(value.lane(), Math.scalb(1.0, to.bits() - 1));
    Value above = emitter.convert(emitter.subtract(value, half), to);
    Value large = IntegerFunctions.flippedSign(emitter, above);
    Value small = emitter.max(emitter.convert(value, to), emitter.constant(to, 0));
    return emitter.select(emitter.compare(Relation.GE, value, half), large, small);
  }

  private static Value toFloat(CodeEmitter emitter, ElementType from, ElementType to, Value value) {
    Lane lane = Lane.of(to);
    if (!NarrowFloats.isNarrow(to)) {
      return from.isFloating() ? emitter.convert(value, lane) : number(emitter, from, value, lane);
    }
    boolean exactInF32 = from.isFloating() ? from != ElementType.F64 : from.bits() <= 16;
    Lane exact = exactInF32 ? Lane.F32 : Lane.F64;
    if (from.bits() == 64 && from.isIntegral()) {
      Value odd = roundedToOdd(emitter, from, value);
      return emitter.convert(NarrowFloats.round(emitter, to, odd), Lane.F32);
    }
    Value wide = from.isFloating() ? value : number(emitter, from, value, exact);
    return emitter.convert(NarrowFloats.round(emitter, to, wide), Lane.F32);
  }

  /** Converts integers to floats. */
  private static Value number(CodeEmitter emitter, ElementType from, Value value, Lane to) {
    if (from == ElementType.U32) {
      return to == Lane.F64 ? unsigned(emitter, value) : unsignedRounded(emitter, value, to);
    } else if (from != ElementType.U64) {
      return emitter.convert(value, to);
    }
    Value one = emitter.constant(Lane.I64, 1);
    Value half = emitter.or(emitter.shiftRightLogical(value, 1), emitter.and(value, one));
    Value twice = emitter.multiply(emitter.convert(half, to), emitter.constant(to, 2));
    Value isLarge = emitter.compare(Relation.LT, value, emitter.constant(Lane.I64, 0));
    return emitter.select(isLarge, twice, emitter.convert(value, to));
  }

  /** Converts unsigned integers of 32 bits to doubles, by way of signed ones. */
  static Value unsigned(CodeEmitter emitter, Value value) {
    Value below = emitter.convert(IntegerFunctions.flippedSign(emitter, value), Lane.F64);
    return emitter.add(below, emitter.constant(Lane.F64, 0x1p31));
  }

  /**
   * Converts unsigned integers of 32 bits in two halves, which are exact. Only their sum is
   * rounded.
   */
  private static Value unsignedRounded(CodeEmitter emitter, Value value, Lane to) {
    Value upper = emitter.convert(emitter.shiftRightLogical(value, HALF_OF_INT), to);
    Value lower = emitter.convert(emitter.and(value, emitter.constant(Lane.I32, LOW_HALF)), to);
    return emitter.add(emitter.multiply(upper, emitter.constant(to, 1 << HALF_OF_INT)), lower);
  }

  /**
   * Converts a long to a double, from which rounding to a narrow type gives the same as from the
   * long: where low bits are dropped, the last bit is set.
   */
  private static Value roundedToOdd(CodeEmitter emitter, ElementType from, Value value) {
    Value low = emitter.constant(Lane.I64, 0x7ff);
    Value dropped = emitter.and(value, low);
    Value kept = emitter.and(value, emitter.constant(Lane.I64, ~0x7ffL));
    Value isExact = emitter.compare(Relation.EQ, dropped, emitter.constant(Lane.I64, 0));
    Value odd = emitter.or(kept, emitter.constant(Lane.I64, 0x800));
    Value rounded = emitter.select(isExact, kept, odd);
    return number(
        emitter, from, emitter.select(isSmall(emitter, from, value), value, rounded), Lane.F64);
  }

  /** Returns whether a double represents the long exactly. */
  private static Value isSmall(CodeEmitter emitter, ElementType from, Value value) {
    long limit = 1L << 52;
    boolean unsigned = IntegerFunctions.isUnsigned(from);
    Value offset = emitter.constant(Lane.I64, unsigned ? 0 : limit);
    Value reach = emitter.constant(Lane.I64, unsigned ? limit : 2 * limit);
    return emitter.compare(Relation.ULT, emitter.add(value, offset), reach);
  }

  // ---- by bits

  static Value bitcast(CodeEmitter emitter, ElementType from, ElementType to, Value value) {
    boolean keepsWidth = BitcastConvert.width(from) == BitcastConvert.width(to);
    if (!keepsWidth || from.isComplex() || to.isComplex()) {
      throw new NoCodeException("no code for bits of " + from + " as " + to);
    }
    Value bits = bits(emitter, from, value);
    return switch (to.kind()) {
      case PRED -> emitter.convert(bits, Lane.MASK);
      case SIGNED, UNSIGNED -> IntegerFunctions.wrap(emitter, to, bits);
      case FLOAT -> fromBits(emitter, to, bits);
      case COMPLEX -> throw new NoCodeException("no code for " + to);
    };
  }

  /** Returns the bits of elements, zero-extended. */
  private static Value bits(CodeEmitter emitter, ElementType type, Value value) {
    return switch (type.kind()) {
      case PRED -> emitter.convert(value, Lane.I32);
      case SIGNED, UNSIGNED -> IntegerFunctions.zeroExtended(emitter, type, value);
      case FLOAT ->
          NarrowFloats.isNarrow(type)
              ? NarrowFloats.encode(emitter, type, value)
              : emitter.reinterpret(value);
      case COMPLEX -> throw new NoCodeException("no code for " + type);
    };
  }

  private static Value fromBits(CodeEmitter emitter, ElementType type, Value bits) {
    return NarrowFloats.isNarrow(type)
        ? NarrowFloats.decode(emitter, type, bits)
        : emitter.reinterpret(bits);
  }

  // ---- fewer bits

  /**
   * Reduces the precision: first rounds the mantissa, then limits the range of the exponent.
   * Infinities and NaNs stay.
   */
  static Value reducePrecision(
      CodeEmitter emitter, ReducePrecision op, ElementType type, Value value) {
    ElementType wide = ReducePrecision.computedIn(type);
    Value reduced = fromBits(emitter, wide, reduced(emitter, op, wide, bits(emitter, wide, value)));
    Value rounded = type == wide ? reduced : convert(emitter, wide, type, reduced);
    return emitter.select(FloatFunctions.isFinite(emitter, value), rounded, value);
  }

  private static Value reduced(
      CodeEmitter emitter, ReducePrecision op, ElementType type, Value bits) {
    Lane lane = bits.lane();
    Value signBit = emitter.constant(lane, 1L << (type.bits() - 1));
    Value sign = emitter.and(bits, signBit);
    Value magnitude = emitter.xor(bits, sign);
    int mantissa = type.mantissaBits();
    if (op.mantissaBits() < mantissa) {
      magnitude = NarrowFloats.cut(emitter, magnitude, mantissa - op.mantissaBits());
    }
    Value reduced = emitter.or(sign, magnitude);
    int exponentBits = type.bits() - 1 - mantissa;
    if (op.exponentBits() < exponentBits) {
      int bias = (1 << (exponentBits - 1)) - 1;
      int reach = (1 << (op.exponentBits() - 1)) - 1;
      Value exponent = emitter.shiftRightLogical(magnitude, mantissa);
      Value isSmall = emitter.compare(Relation.LE, exponent, emitter.constant(lane, bias - reach));
      Value isLarge = emitter.compare(Relation.GT, exponent, emitter.constant(lane, bias + reach));
      reduced = emitter.select(isSmall, sign, reduced);
      reduced = emitter.select(isLarge, infinity(emitter, type, sign), reduced);
    }
    return reduced;
  }

  private static Value infinity(CodeEmitter emitter, ElementType type, Value sign) {
    Lane lane = sign.lane();
    Value positive = emitter.constant(lane, type.encode(Double.POSITIVE_INFINITY));
    Value negative = emitter.constant(lane, type.encode(Double.NEGATIVE_INFINITY));
    Value isPositive = emitter.compare(Relation.EQ, sign, emitter.constant(lane, 0));
    return emitter.select(isPositive, positive, negative);
  }
}
