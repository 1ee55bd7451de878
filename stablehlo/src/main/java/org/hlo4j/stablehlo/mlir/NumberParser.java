package org.hlo4j.stablehlo.mlir;

import java.math.BigInteger;
import java.util.HexFormat;
import org.hlo4j.hlo.ElementType;

/** A parser of numeric attributes: {@code 1 : i32}, {@code -2.5e-3}, {@code 0x7F80 : bf16}. */
record NumberParser(OpParser in) {
  private static final int MAX_DIGITS = 400;

  /** Reads a number and the type after its colon; without one the type is i64 or f64. */
  Attribute number() {
    int start = in.skip();
    boolean negative = in.eat('-');
    if (in.looksAt("0x") && HexFormat.isHexDigit(in.charAt(in.at + 2))) {
      return hexadecimal(start, negative);
    }
    in.at = start;
    int limit = in.endOfNumber();
    int count = limit - start;
    in.require(count <= MAX_DIGITS, start, "got a number of %s digits, want fewer", count);
    String digits = in.text.substring(start, limit);
    in.at = limit;
    if (digits.indexOf('.') < 0) {
      return integer(new BigInteger(digits), in.eat(':') ? in.type() : Types.I64, start);
    }
    return floating(Double.parseDouble(digits), in.eat(':') ? in.type() : Types.F64, start);
  }

  private Attribute floating(double value, Type type, int start) {
    in.require(type instanceof Type.Floating, start, "got %s : %s, want a float type", value, type);
    return new Attribute.Floating(
        Types.elementType(type).map(element -> element.round(value)).orElse(value), type);
  }

  /**
   * Returns an integer that fits its type. A signless type may be written signed or unsigned; the
   * signed value is kept.
   */
  private Attribute integer(BigInteger value, Type type, int start) {
    if (type instanceof Type.Floating) {
      return floating(value.doubleValue(), type, start);
    }
    Type.Int form = Types.integer(type).orElse(null);
    if (form == null) {
      throw in.wrongAt(start, "got %s : %s, want an integer type", value, type);
    }
    boolean negative = value.signum() < 0;
    boolean signed = negative || form.signedness() == Type.Signedness.SIGNED;
    in.require(
        value.bitLength() + (signed ? 1 : 0) <= form.width()
            && !(negative && form.signedness() == Type.Signedness.UNSIGNED),
        start,
        "got %s, want a value of %s",
        value,
        type);
    return Attribute.Int.ofBits(value, type, form);
  }

  private Attribute hexadecimal(int start, boolean negative) {
    in.at += 2;
    int digits = in.at;
    while (HexFormat.isHexDigit(in.charAt(in.at))) {
      in.at++;
    }
    boolean isShort = in.at - digits <= MAX_DIGITS;
    in.require(isShort, start, "got more than %s digits, want fewer", MAX_DIGITS);
    BigInteger bits = new BigInteger(in.text.substring(digits, in.at), 16);
    Type type = in.eat(':') ? in.type() : Types.I64;
    if (!(type instanceof Type.Floating)) {
      return integer(negative ? bits.negate() : bits, type, start);
    }
    ElementType element = Types.elementType(type).orElse(null);
    if (element == null) {
      throw in.wrongAt(start, "got bits of %s, want a type of HLO", type);
    }
    in.require(
        !negative && bits.bitLength() <= element.bits(),
        start,
        "got bits that do not fit, want %s bits of %s",
        element.bits(),
        type);
    return new Attribute.Floating(element.decode(bits.longValue()), type);
  }
}
