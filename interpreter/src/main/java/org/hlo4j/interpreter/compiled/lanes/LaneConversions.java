package org.hlo4j.interpreter.compiled.lanes;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.ReducePrecision;

/**
 * From one element type to another, by value or by bits, as {@code Conversions} of the reference.
 */
final class LaneConversions {
  private static final int HALF_OF_INT = 16;
  private static final int LOW_HALF = 0xffff;

  private LaneConversions() {}

  /** Floats rounded to their type. */
  static Value rounded(Lanes lanes, ElementType type, Value value) {
    return NarrowFloats.isNarrow(type) ? NarrowFloats.round(lanes, type, value) : value;
  }

  // ---- by value

  static Value convert(Lanes lanes, ElementType from, ElementType to, Value value) {
    if (from == to) {
      return value;
    }
    return switch (to.kind()) {
      case PRED -> lanes.convert(value, Lane.MASK);
      case SIGNED, UNSIGNED -> toInteger(lanes, from, to, value);
      case FLOAT -> toFloat(lanes, from, to, value);
      case COMPLEX -> throw new UnsupportedOperationException("no code for " + to);
    };
  }

  private static Value toInteger(Lanes lanes, ElementType from, ElementType to, Value value) {
    if (from.isFloating()) {
      return saturated(lanes, to, value);
    }
    boolean widens = Lane.of(to) == Lane.I64 && value.lane() == Lane.I32;
    Value carrier =
        widens ? IntegerFunctions.widened(lanes, from, value) : lanes.convert(value, Lane.of(to));
    return fits(from, to) ? carrier : IntegerFunctions.wrap(lanes, to, carrier);
  }

  private static boolean fits(ElementType from, ElementType to) {
    return from.kind() == to.kind() && from.bits() <= to.bits();
  }

  private static Value saturated(Lanes lanes, ElementType to, Value value) {
    Lane reach = Lane.of(to);
    boolean isFull = to.bits() == reach.bits();
    if (isFull && IntegerFunctions.isUnsigned(to)) {
      return saturatedUnsigned(lanes, value, reach);
    }
    Value whole = lanes.convert(value, reach);
    if (isFull) {
      return whole;
    }
    Value least = lanes.constant(reach, to.minLong());
    return lanes.min(lanes.max(whole, least), lanes.constant(reach, to.maxLong()));
  }

  /** The upper half of the range is the signed one moved by as much as it begins at. */
  private static Value saturatedUnsigned(Lanes lanes, Value value, Lane to) {
    Value half = lanes.constant(value.lane(), Math.scalb(1.0, to.bits() - 1));
    Value above = lanes.convert(lanes.subtract(value, half), to);
    Value large = IntegerFunctions.flippedSign(lanes, above);
    Value small = lanes.max(lanes.convert(value, to), lanes.constant(to, 0));
    return lanes.select(lanes.compare(Relation.GE, value, half), large, small);
  }

  private static Value toFloat(Lanes lanes, ElementType from, ElementType to, Value value) {
    Lane lane = Lane.of(to);
    if (!NarrowFloats.isNarrow(to)) {
      return from.isFloating() ? lanes.convert(value, lane) : number(lanes, from, value, lane);
    }
    boolean exactInF32 = from.isFloating() ? from != ElementType.F64 : from.bits() <= 16;
    Lane exact = exactInF32 ? Lane.F32 : Lane.F64;
    if (from.bits() == 64 && from.isIntegral()) {
      Value odd = roundedToOdd(lanes, from, value);
      return lanes.convert(NarrowFloats.round(lanes, to, odd), Lane.F32);
    }
    Value wide = from.isFloating() ? value : number(lanes, from, value, exact);
    return lanes.convert(NarrowFloats.round(lanes, to, wide), Lane.F32);
  }

  /** Integers as floats. */
  private static Value number(Lanes lanes, ElementType from, Value value, Lane to) {
    if (from == ElementType.U32) {
      return to == Lane.F64 ? unsigned(lanes, value) : unsignedRounded(lanes, value, to);
    } else if (from != ElementType.U64) {
      return lanes.convert(value, to);
    }
    Value one = lanes.constant(Lane.I64, 1);
    Value half = lanes.or(lanes.shiftRightLogical(value, 1), lanes.and(value, one));
    Value twice = lanes.multiply(lanes.convert(half, to), lanes.constant(to, 2));
    Value isLarge = lanes.compare(Relation.LT, value, lanes.constant(Lane.I64, 0));
    return lanes.select(isLarge, twice, lanes.convert(value, to));
  }

  /** Integers of 32 bits without sign as doubles, by way of those with one. */
  static Value unsigned(Lanes lanes, Value value) {
    Value below = lanes.convert(IntegerFunctions.flippedSign(lanes, value), Lane.F64);
    return lanes.add(below, lanes.constant(Lane.F64, 0x1p31));
  }

  /** Both halves are exact; so is what is added to the upper one, until it is. */
  private static Value unsignedRounded(Lanes lanes, Value value, Lane to) {
    Value upper = lanes.convert(lanes.shiftRightLogical(value, HALF_OF_INT), to);
    Value lower = lanes.convert(lanes.and(value, lanes.constant(Lane.I32, LOW_HALF)), to);
    return lanes.add(lanes.multiply(upper, lanes.constant(to, 1 << HALF_OF_INT)), lower);
  }

  /** A double from which narrow types round as from the long: what it drops leaves its last bit. */
  private static Value roundedToOdd(Lanes lanes, ElementType from, Value value) {
    Value low = lanes.constant(Lane.I64, 0x7ff);
    Value dropped = lanes.and(value, low);
    Value kept = lanes.and(value, lanes.constant(Lane.I64, ~0x7ffL));
    Value isExact = lanes.compare(Relation.EQ, dropped, lanes.constant(Lane.I64, 0));
    Value odd = lanes.or(kept, lanes.constant(Lane.I64, 0x800));
    Value rounded = lanes.select(isExact, kept, odd);
    return number(lanes, from, lanes.select(isSmall(lanes, from, value), value, rounded), Lane.F64);
  }

  /** Whether a double holds the long exactly. */
  private static Value isSmall(Lanes lanes, ElementType from, Value value) {
    long limit = 1L << 52;
    boolean unsigned = IntegerFunctions.isUnsigned(from);
    Value offset = lanes.constant(Lane.I64, unsigned ? 0 : limit);
    Value reach = lanes.constant(Lane.I64, unsigned ? limit : 2 * limit);
    return lanes.compare(Relation.ULT, lanes.add(value, offset), reach);
  }

  // ---- by bits

  static Value bitcast(Lanes lanes, ElementType from, ElementType to, Value value) {
    if (from.bits() != to.bits() || from.isComplex() || to.isComplex()) {
      throw new UnsupportedOperationException("no code for bits of " + from + " as " + to);
    }
    Value bits = bits(lanes, from, value);
    return switch (to.kind()) {
      case PRED -> lanes.convert(bits, Lane.MASK);
      case SIGNED, UNSIGNED -> IntegerFunctions.wrap(lanes, to, bits);
      case FLOAT -> fromBits(lanes, to, bits);
      case COMPLEX -> throw new UnsupportedOperationException("no code for " + to);
    };
  }

  /** The bits of elements, zero-extended. */
  private static Value bits(Lanes lanes, ElementType type, Value value) {
    return switch (type.kind()) {
      case PRED -> lanes.convert(value, Lane.I32);
      case SIGNED, UNSIGNED -> IntegerFunctions.zeroExtended(lanes, type, value);
      case FLOAT ->
          NarrowFloats.isNarrow(type)
              ? NarrowFloats.encode(lanes, type, value)
              : lanes.reinterpret(value);
      case COMPLEX -> throw new UnsupportedOperationException("no code for " + type);
    };
  }

  private static Value fromBits(Lanes lanes, ElementType type, Value bits) {
    return NarrowFloats.isNarrow(type)
        ? NarrowFloats.decode(lanes, type, bits)
        : lanes.reinterpret(bits);
  }

  // ---- fewer bits

  /** First the mantissa is rounded, then the exponent's range cut; all else stays. */
  static Value reducePrecision(Lanes lanes, ReducePrecision op, ElementType type, Value value) {
    ElementType wide = ReducePrecision.computedIn(type);
    Value reduced = fromBits(lanes, wide, reduced(lanes, op, wide, bits(lanes, wide, value)));
    Value rounded = type == wide ? reduced : convert(lanes, wide, type, reduced);
    return lanes.select(FloatFunctions.isFinite(lanes, value), rounded, value);
  }

  private static Value reduced(Lanes lanes, ReducePrecision op, ElementType type, Value bits) {
    Lane lane = bits.lane();
    Value signBit = lanes.constant(lane, 1L << (type.bits() - 1));
    Value sign = lanes.and(bits, signBit);
    Value magnitude = lanes.xor(bits, sign);
    int mantissa = type.mantissaBits();
    if (op.mantissaBits() < mantissa) {
      magnitude = NarrowFloats.cut(lanes, magnitude, mantissa - op.mantissaBits());
    }
    Value reduced = lanes.or(sign, magnitude);
    int exponentBits = type.bits() - 1 - mantissa;
    if (op.exponentBits() < exponentBits) {
      int bias = (1 << (exponentBits - 1)) - 1;
      int reach = (1 << (op.exponentBits() - 1)) - 1;
      Value exponent = lanes.shiftRightLogical(magnitude, mantissa);
      Value isSmall = lanes.compare(Relation.LE, exponent, lanes.constant(lane, bias - reach));
      Value isLarge = lanes.compare(Relation.GT, exponent, lanes.constant(lane, bias + reach));
      reduced = lanes.select(isSmall, sign, reduced);
      reduced = lanes.select(isLarge, infinity(lanes, type, sign), reduced);
    }
    return reduced;
  }

  private static Value infinity(Lanes lanes, ElementType type, Value sign) {
    Lane lane = sign.lane();
    Value positive = lanes.constant(lane, type.encode(Double.POSITIVE_INFINITY));
    Value negative = lanes.constant(lane, type.encode(Double.NEGATIVE_INFINITY));
    Value isPositive = lanes.compare(Relation.EQ, sign, lanes.constant(lane, 0));
    return lanes.select(isPositive, positive, negative);
  }
}
