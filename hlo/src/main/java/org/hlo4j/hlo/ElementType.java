package org.hlo4j.hlo;

import static com.google.common.collect.ImmutableMap.toImmutableMap;
import static org.hlo4j.hlo.arguments.Arguments.requireNonNull;

import com.google.common.collect.ImmutableMap;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The type of an array's elements: every XLA primitive type, with one constant for each.
 *
 * <p>Values travel in a wide <i>carrier</i>: {@code long} for pred and integers (unsigned ones
 * zero-extended, u64 as its bit pattern), {@code double} for floats, a pair of doubles for complex
 * numbers. {@link #wrap} and {@link #round} bring a carrier value back into the type. Source of the
 * list: {@code PrimitiveType} in XLA's {@code xla_data.proto}.
 */
public enum ElementType {
  /** Boolean. */
  PRED("pred", 1, Kind.PRED, null),
  /** Signed integer of 1 bit: 0 and -1. */
  S1("s1", 1, Kind.SIGNED, null),
  /** Signed integer of 2 bits. */
  S2("s2", 2, Kind.SIGNED, null),
  /** Signed integer of 4 bits. */
  S4("s4", 4, Kind.SIGNED, null),
  /** Signed integer of 8 bits. */
  S8("s8", 8, Kind.SIGNED, null),
  /** Signed integer of 16 bits. */
  S16("s16", 16, Kind.SIGNED, null),
  /** Signed integer of 32 bits. */
  S32("s32", 32, Kind.SIGNED, null),
  /** Signed integer of 64 bits. */
  S64("s64", 64, Kind.SIGNED, null),
  /** Unsigned integer of 1 bit. */
  U1("u1", 1, Kind.UNSIGNED, null),
  /** Unsigned integer of 2 bits. */
  U2("u2", 2, Kind.UNSIGNED, null),
  /** Unsigned integer of 4 bits. */
  U4("u4", 4, Kind.UNSIGNED, null),
  /** Unsigned integer of 8 bits. */
  U8("u8", 8, Kind.UNSIGNED, null),
  /** Unsigned integer of 16 bits. */
  U16("u16", 16, Kind.UNSIGNED, null),
  /** Unsigned integer of 32 bits. */
  U32("u32", 32, Kind.UNSIGNED, null),
  /** Unsigned integer of 64 bits. */
  U64("u64", 64, Kind.UNSIGNED, null),
  /** Float of 4 bits, 2 exponent and 1 mantissa bit, neither infinity nor NaN. */
  F4E2M1FN("f4e2m1fn", 4, Kind.FLOAT, FloatFormat.E2M1FN),
  /** Float of 8 bits, 3 exponent and 4 mantissa bits, as IEEE 754. */
  F8E3M4("f8e3m4", 8, Kind.FLOAT, FloatFormat.E3M4),
  /** Float of 8 bits, 4 exponent and 3 mantissa bits, as IEEE 754. */
  F8E4M3("f8e4m3", 8, Kind.FLOAT, FloatFormat.E4M3),
  /** Float of 8 bits, 4 exponent and 3 mantissa bits, no infinity. */
  F8E4M3FN("f8e4m3fn", 8, Kind.FLOAT, FloatFormat.E4M3FN),
  /** Float of 8 bits, 4 exponent and 3 mantissa bits, bias 11, no infinity, no negative zero. */
  F8E4M3B11FNUZ("f8e4m3b11fnuz", 8, Kind.FLOAT, FloatFormat.E4M3B11FNUZ),
  /** Float of 8 bits, 4 exponent and 3 mantissa bits, bias 8, no infinity, no negative zero. */
  F8E4M3FNUZ("f8e4m3fnuz", 8, Kind.FLOAT, FloatFormat.E4M3FNUZ),
  /** Float of 8 bits, 5 exponent and 2 mantissa bits, as IEEE 754. */
  F8E5M2("f8e5m2", 8, Kind.FLOAT, FloatFormat.E5M2),
  /** Float of 8 bits, 5 exponent and 2 mantissa bits, bias 16, no infinity, no negative zero. */
  F8E5M2FNUZ("f8e5m2fnuz", 8, Kind.FLOAT, FloatFormat.E5M2FNUZ),
  /** Unsigned power of two, 8 exponent bits. */
  F8E8M0FNU("f8e8m0fnu", 8, Kind.FLOAT, FloatFormat.E8M0FNU),
  /** Bfloat16. */
  BF16("bf16", 16, Kind.FLOAT, FloatFormat.E8M7),
  /** IEEE 754 half precision. */
  F16("f16", 16, Kind.FLOAT, FloatFormat.E5M10),
  /** IEEE 754 single precision. */
  F32("f32", 32, Kind.FLOAT, FloatFormat.E8M23),
  /** IEEE 754 double precision. */
  F64("f64", 64, Kind.FLOAT, FloatFormat.E11M52),
  /** Pair of f32: real and imaginary part. */
  C64("c64", 64, Kind.COMPLEX, null),
  /** Pair of f64: real and imaginary part. */
  C128("c128", 128, Kind.COMPLEX, null);

  /** The families of element types that shape inference distinguishes. */
  public enum Kind {
    /** Boolean. */
    PRED,
    /** Signed integers. */
    SIGNED,
    /** Unsigned integers. */
    UNSIGNED,
    /** Floating point. */
    FLOAT,
    /** Complex. */
    COMPLEX
  }

  private static final ImmutableMap<String, ElementType> BY_NAME =
      Arrays.stream(values()).collect(toImmutableMap(ElementType::toString, Function.identity()));

  private final String hloName;
  private final int bits;
  private final Kind kind;
  private final Optional<FloatFormat> format;

  ElementType(String hloName, int bits, Kind kind, @Nullable FloatFormat format) {
    this.hloName = hloName;
    this.bits = bits;
    this.kind = kind;
    this.format = Optional.ofNullable(format);
  }

  /**
   * Returns the type of a name in HLO text, such as {@code bf16}.
   *
   * @param hloName the name as HLO text writes it
   * @return the type, or empty if there is none of that name
   */
  public static Optional<ElementType> named(String hloName) {
    return Optional.ofNullable(BY_NAME.get(hloName));
  }

  /**
   * Width of one element in bits; 1 for pred.
   *
   * @return the width
   */
  public int bits() {
    return bits;
  }

  /**
   * Returns the family of this type.
   *
   * @return the family
   */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns whether this is a signed or unsigned integer type. Pred is not.
   *
   * @return whether it is
   */
  public boolean isIntegral() {
    return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
  }

  /**
   * Returns whether this is a floating-point type. Complex types are not.
   *
   * @return whether it is
   */
  public boolean isFloating() {
    return kind == Kind.FLOAT;
  }

  /**
   * Returns whether this is a complex type.
   *
   * @return whether it is
   */
  public boolean isComplex() {
    return kind == Kind.COMPLEX;
  }

  /**
   * Returns the type of the real and imaginary part: f32 for c64, f64 for c128, itself for all
   * others.
   *
   * @return the component type
   */
  public ElementType componentType() {
    if (!isComplex()) {
      return this;
    }
    return this == C64 ? F32 : F64;
  }

  /**
   * Returns of how many numbers of the {@link #componentType} an element consists.
   *
   * @return 2 for complex numbers, 1 for all others
   */
  public int componentCount() {
    return isComplex() ? 2 : 1;
  }

  /**
   * Number of bits after the leading one of a float's significand, such as 23 for f32.
   *
   * @return the number of mantissa bits
   * @throws HloException if this is not a floating-point type
   */
  public int mantissaBits() {
    return format().mantissaBits();
  }

  /**
   * Returns whether the type can hold an infinity.
   *
   * @return whether it can
   */
  public boolean hasInfinity() {
    return isComplex() || (isFloating() && format().hasInfinity());
  }

  /**
   * Returns whether the type can hold a NaN.
   *
   * @return whether it can
   */
  public boolean hasNaN() {
    return isComplex() || (isFloating() && format().hasNaN());
  }

  /**
   * Returns an integer carrier value reduced to this type, modulo 2^{@link #bits}; for pred,
   * whether it is not zero.
   *
   * @param value any carrier value
   * @return the value of this type with the same low bits
   * @throws HloException if this is neither pred nor an integer type
   */
  public long wrap(long value) {
    return switch (kind) {
      case PRED -> value == 0 ? 0 : 1;
      case SIGNED -> value << (64 - bits) >> (64 - bits);
      case UNSIGNED -> value << (64 - bits) >>> (64 - bits);
      case FLOAT, COMPLEX -> throw new HloException("", this + " has no integer carrier");
    };
  }

  /**
   * Returns a carrier value rounded to this type: to nearest, ties to even, overflow as the type
   * has it.
   *
   * @param value any carrier value
   * @return the nearest value of this type
   * @throws HloException if this is not a floating-point type
   */
  public double round(double value) {
    if (this == F64) {
      return value;
    }
    return this == F32 ? (float) value : decode(encode(value));
  }

  /**
   * Returns the bit pattern of a float's nearest value of this type, in the low {@link #bits} bits.
   *
   * @param value any carrier value; a NaN gives the type's one quiet NaN
   * @return the bit pattern, zero-extended
   * @throws HloException if this is not a floating-point type
   */
  public long encode(double value) {
    return switch (this) {
      case F32 -> Integer.toUnsignedLong(Float.floatToIntBits((float) value));
      case F64 -> Double.doubleToLongBits(value);
      default -> format().encode(value);
    };
  }

  /**
   * Returns the value of a bit pattern of this type. Exact for every floating-point type.
   *
   * @param bits the bit pattern in the low {@link #bits} bits
   * @return the value
   * @throws HloException if this is not a floating-point type
   */
  public double decode(long bits) {
    return switch (this) {
      case F32 -> Float.intBitsToFloat((int) bits);
      case F64 -> Double.longBitsToDouble(bits);
      default -> format().decode(bits);
    };
  }

  /**
   * Returns a number some values of this type above another, or below.
   *
   * @param number a value of this type
   * @param steps how many values above it; below if negative
   * @return the number, at most an infinity, or the greatest value if there is none; a NaN, and
   *     what has no sign, stays
   * @throws HloException if this is not a floating-point type
   */
  public double stepped(double number, long steps) {
    if (Double.isNaN(number) || this == F8E8M0FNU) {
      return number;
    }
    long sign = 1L << (bits - 1);
    long most = encode(hasInfinity() ? Double.POSITIVE_INFINITY : maxFinite());
    long to = Math.clamp(steps(encode(number)) + steps, -most, most);
    return decode(to < 0 ? -to | sign : to);
  }

  /**
   * Returns the distance of two values in units in the last place, the number of steps from one
   * value of this type to the next. 0 and -0 are equal, and so are any two NaNs.
   *
   * @param left the bit pattern of one value
   * @param right the bit pattern of the other
   * @return the distance; the greatest long if it is greater, if only one is NaN, or if they are
   *     not floats and differ
   */
  public long ulpsBetween(long left, long right) {
    boolean areNumbers = isFloating() && !isNaN(left) && !isNaN(right);
    if (!areNumbers) {
      boolean areNaNs = isFloating() && isNaN(left) && isNaN(right);
      return left == right || areNaNs ? 0 : Long.MAX_VALUE;
    }
    long from = steps(left);
    long to = steps(right);
    long distance = from < to ? to - from : from - to;
    return distance < 0 ? Long.MAX_VALUE : distance;
  }

  private boolean isNaN(long bits) {
    return Double.isNaN(decode(bits));
  }

  /** Returns the number of steps from 0 to a value, or from the least value if there is no 0. */
  private long steps(long value) {
    long magnitude = this == F8E8M0FNU ? value : value & ((1L << (bits - 1)) - 1);
    return magnitude == value ? magnitude : -magnitude;
  }

  /**
   * Returns the smallest value of an integer type, false for pred.
   *
   * @return the least value as carrier
   * @throws HloException if this is neither pred nor an integer type
   */
  public long minLong() {
    return kind == Kind.SIGNED ? -1L << (bits - 1) : wrap(0);
  }

  /**
   * Returns the largest value of an integer type, true for pred. For u64 the bit pattern, -1.
   *
   * @return the largest value as carrier
   * @throws HloException if this is neither pred nor an integer type
   */
  public long maxLong() {
    return kind == Kind.SIGNED ? ~minLong() : wrap(-1);
  }

  /**
   * Returns the largest finite value of a floating-point type.
   *
   * @return the greatest finite value
   * @throws HloException if this is not a floating-point type
   */
  public double maxFinite() {
    return decode(format().largestFinite());
  }

  private FloatFormat format() {
    return format.orElseThrow(() -> new HloException("", this + " is not a floating-point type"));
  }

  /**
   * Returns whether each value of this type is one of another of the same kind, or of signed
   * integers for unsigned ones: bf16 of f32, u8 of s16.
   *
   * @param other the other type
   * @return whether a conversion there and back gives the same values
   */
  public boolean isWithin(ElementType other) {
    requireNonNull(other, "other");
    return switch (kind()) {
      case PRED -> other == this;
      case SIGNED -> other.kind() == Kind.SIGNED && bits() <= other.bits();
      case UNSIGNED ->
          (other.kind() == Kind.UNSIGNED && bits() <= other.bits())
              || (other.kind() == Kind.SIGNED && bits() < other.bits());
      case FLOAT -> other.kind() == Kind.FLOAT && hasFloatsWithin(other);
      case COMPLEX -> other.isComplex() && componentType().isWithin(other.componentType());
    };
  }

  private boolean hasFloatsWithin(ElementType other) {
    return other == this
        || (mantissaBits() <= other.mantissaBits()
            && (!hasInfinity() || other.hasInfinity())
            && (!hasNaN() || other.hasNaN())
            && DoubleStream.of(decode(0), decode(1), maxFinite())
                .allMatch(value -> other.round(value) == value));
  }

  /** Returns the name as HLO text writes it, such as {@code f32}. */
  @Override
  public String toString() {
    return hloName;
  }
}
