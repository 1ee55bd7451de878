package org.hlo4j.hlo.text;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.source.ParseException;

/**
 * A reader of elements of one type. Floats are rounded; other values that the type cannot represent
 * are refused, except that -1 as u64 is its greatest number, as XLA reads it.
 */
final class NumberReader {
  private final Lexer text;
  private final ElementType type;

  NumberReader(Lexer text, ElementType type) {
    this.text = text;
    this.type = type;
  }

  /** Reads one element to a linear position. */
  void readInto(LiteralBuilder builder, int linear) {
    switch (type.kind()) {
      case PRED -> builder.setBits(linear, truth());
      case SIGNED, UNSIGNED -> builder.setLong(linear, integer());
      case FLOAT -> builder.setBits(linear, floating(type));
      case COMPLEX -> {
        text.expect("(", "( and the real part of " + type);
        builder.setBits(2 * linear, floating(type.componentType()));
        text.accept(",");
        builder.setBits(2 * linear + 1, floating(type.componentType()));
        text.expect(")", ") behind the imaginary part");
      }
    }
  }

  private long truth() {
    int start = text.skipBlanks();
    return switch (text.number()) {
      case "true", "1" -> 1;
      case "false", "0" -> 0;
      default -> throw refused(start, "true, false, 1 or 0");
    };
  }

  private long integer() {
    int start = text.skipBlanks();
    String number = text.number();
    try {
      boolean negative = number.startsWith("-");
      long value = negative ? Long.parseLong(number) : Long.parseUnsignedLong(number);
      boolean beyondSigned = !negative && value < 0 && type != ElementType.U64;
      boolean isBelow = negative && value < 0 && isUnsigned() && type != ElementType.U64;
      if (beyondSigned || isBelow || type.wrap(value) != value) {
        throw refused(start, range());
      }
      return value;
    } catch (NumberFormatException noInteger) {
      throw refused(start, range());
    }
  }

  private boolean isUnsigned() {
    return type.kind() == ElementType.Kind.UNSIGNED;
  }

  private String range() {
    return "an integer from "
        + type.minLong()
        + " to "
        + (isUnsigned() ? Long.toUnsignedString(type.maxLong()) : Long.toString(type.maxLong()));
  }

  /** Reads the bits of a float: a number, {@code inf}, or {@code nan} with or without a payload. */
  private long floating(ElementType part) {
    int start = text.skipBlanks();
    String number = text.number();
    int sign = number.startsWith("-") || number.startsWith("+") ? 1 : 0;
    boolean negative = number.startsWith("-");
    if (number.startsWith("nan", sign)) {
      return nan(part, start, negative, number.substring(sign + 3));
    }
    if (number.startsWith("inf", sign) && number.length() == sign + 3) {
      if (!part.hasInfinity()) {
        throw refused(start, "a number: " + part + " has no infinity");
      }
      return part.encode(negative ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
    }
    return finite(part, start, number);
  }

  private long finite(ElementType part, int start, String number) {
    char last = number.isEmpty() ? ' ' : number.charAt(number.length() - 1);
    if ((!Lexer.isDigit(last) && last != '.') || number.indexOf('x') >= 0) {
      throw refused(start, "a number of type " + part);
    }
    try {
      long bits = part.encode(Double.parseDouble(number));
      if (!Double.isFinite(part.decode(bits))) {
        throw refused(start, "a number from -" + part.maxFinite() + " to " + part.maxFinite());
      }
      return bits;
    } catch (NumberFormatException noNumber) {
      throw refused(start, "a number of type " + part);
    }
  }

  private long nan(ElementType part, int start, boolean negative, String payload) {
    if (!part.hasNaN()) {
      throw refused(start, "a number: " + part + " has no NaN");
    }
    long plain = part.encode(Double.NaN);
    long sign = negative && part != ElementType.F8E8M0FNU ? 1L << (part.bits() - 1) : 0;
    if (payload.isEmpty()) {
      return (part.hasInfinity() ? plain & ~(1L << (part.bits() - 1)) : plain) | sign;
    }
    if (!part.hasInfinity()) {
      throw refused(start, "nan: those of " + part + " have no payload");
    }
    return payload(part, start, payload) | exponent(part) | sign;
  }

  private static long exponent(ElementType part) {
    return part.encode(Double.POSITIVE_INFINITY);
  }

  private long payload(ElementType part, int start, String payload) {
    long most = (1L << part.mantissaBits()) - 1;
    try {
      long value = Long.decode(payload.substring(1, payload.length() - 1));
      if (value >= 1 && value <= most) {
        return value;
      }
    } catch (NumberFormatException | StringIndexOutOfBoundsException noPayload) {
      // The same error as for any other impossible payload.
    }
    throw refused(start, "a payload from nan(0x1) to nan(0x" + Long.toHexString(most) + ")");
  }

  private ParseException refused(int start, String want) {
    text.moveTo(start);
    return text.wanted(want);
  }
}
