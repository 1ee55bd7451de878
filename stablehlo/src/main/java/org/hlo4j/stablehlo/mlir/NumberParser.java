package org.hlo4j.stablehlo.mlir;

import java.math.BigInteger;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.source.ParseException;

/** A parser of numeric attributes: {@code 1 : i32}, {@code -2.5e-3}, {@code 0x7F80 : bf16}. */
final class NumberParser {
  private static final int MAX_DIGITS = 400;

  private final OpParser in;

  NumberParser(OpParser in) {
    this.in = in;
  }

  /** Reads a number and the type after its colon; without one the type is i64 or f64. */
  Attribute number() {
    int start = in.skip();
    boolean negative = in.eat('-');
    if (in.looksAt("0x") && Character.digit(in.charAt(in.at + 2), 16) >= 0) {
      return hexadecimal(start, negative);
    }
    in.at = start;
    int limit = in.endOfNumber();
    String digits = in.text.substring(start, limit);
    if (digits.length() > MAX_DIGITS) {
      throw new ParseException(start, "got a number of " + digits.length() + " digits, want fewer");
    }
    in.at = limit;
    if (digits.indexOf('.') < 0) {
      return integer(new BigInteger(digits), in.eat(':') ? in.type() : Types.I64, start);
    }
    Type type = in.eat(':') ? in.type() : Types.F64;
    return floating(Double.parseDouble(digits), type, start);
  }

  private static Attribute floating(double value, Type type, int start) {
    if (!(type instanceof Type.Floating)) {
      throw new ParseException(start, "got " + value + " : " + type + ", want a float type");
    }
    return new Attribute.Floating(
        Types.elementType(type).map(element -> element.round(value)).orElse(value), type);
  }

  private static Attribute integer(BigInteger value, Type type, int start) {
    if (type instanceof Type.Floating) {
      return floating(value.doubleValue(), type, start);
    }
    if (type == Type.Simple.INDEX) {
      return fitting(value, new Type.Int(Long.SIZE, Type.Signedness.SIGNLESS), type, start);
    }
    if (type instanceof Type.Int integer) {
      return fitting(value, integer, type, start);
    }
    throw new ParseException(start, "got " + value + " : " + type + ", want an integer type");
  }

  /**
   * Returns an integer that fits its type. A signless type may be written signed or unsigned; the
   * signed value is kept.
   */
  private static Attribute fitting(BigInteger value, Type.Int integer, Type type, int start) {
    boolean signed = integer.signedness() == Type.Signedness.SIGNED;
    boolean unsigned = integer.signedness() == Type.Signedness.UNSIGNED;
    int width = integer.width();
    int bits = value.bitLength() + (signed || value.signum() < 0 ? 1 : 0);
    if (bits > width || (unsigned && value.signum() < 0)) {
      throw new ParseException(start, "got " + value + ", want a value of " + type);
    }
    boolean wrapped = !signed && !unsigned && width > 1 && value.testBit(width - 1);
    BigInteger kept =
        wrapped && value.signum() > 0 ? value.subtract(BigInteger.ONE.shiftLeft(width)) : value;
    return new Attribute.Int(type.equals(Types.I1) ? kept.abs() : kept, type);
  }

  private Attribute hexadecimal(int start, boolean negative) {
    in.at += 2;
    int digits = in.at;
    while (Character.digit(in.charAt(in.at), 16) >= 0) {
      in.at++;
    }
    if (in.at - digits > MAX_DIGITS) {
      throw new ParseException(start, "got more than " + MAX_DIGITS + " digits, want fewer");
    }
    BigInteger bits = new BigInteger(in.text.substring(digits, in.at), 16);
    Type type = in.eat(':') ? in.type() : Types.I64;
    if (!(type instanceof Type.Floating)) {
      return integer(negative ? bits.negate() : bits, type, start);
    }
    ElementType element =
        Types.elementType(type)
            .orElseThrow(
                () -> new ParseException(start, "got bits of " + type + ", want a type of HLO"));
    if (negative || bits.bitLength() > element.bits()) {
      throw new ParseException(
          start, "got bits that do not fit, want " + element.bits() + " bits of " + type);
    }
    return new Attribute.Floating(element.decode(bits.longValue()), type);
  }
}
