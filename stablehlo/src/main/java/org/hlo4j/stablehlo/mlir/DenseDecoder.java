package org.hlo4j.stablehlo.mlir;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.SourceText;

/** A decoder of the elements of a constant from text whose brackets have been checked. */
final class DenseDecoder {
  /**
   * The largest number of digits of an integer that is always exact as a double. Its product or
   * quotient with an exact power of ten is then correctly rounded.
   */
  private static final int MAX_EXACT_DIGITS = 15;

  private static final double[] POWERS = new double[23];

  static {
    POWERS[0] = 1;
    for (int i = 1; i < POWERS.length; i++) {
      POWERS[i] = POWERS[i - 1] * 10;
    }
  }

  private final SourceText source;
  private final String text;
  private final int start;
  private final int end;
  private final Type.Tensor tensor;

  DenseDecoder(SourceText source, String text, int start, int end, Type.Tensor tensor) {
    this.source = source;
    this.text = text;
    this.start = start;
    this.end = end;
    this.tensor = tensor;
  }

  /** Returns all elements, or the one that stands for all; called later than the text was read. */
  Literal decodeLazily(boolean splat) {
    try {
      return elements(splat);
    } catch (ParseException error) {
      throw error.in(source);
    }
  }

  /** Returns all elements, or the one that stands for all. */
  Literal elements(boolean splat) {
    ElementType type =
        Types.storage(tensor.element()).orElseThrow(() -> TensorBytes.unsupported(tensor));
    Shape.Array shape = splat ? Shape.of(type) : TensorBytes.shape(type, tensor);
    LiteralBuilder builder = new LiteralBuilder(shape);
    int component = 0;
    int pairs = 0;
    for (int at = start; at < end; at++) {
      char c = text.charAt(at);
      if (c == '/') {
        at = Math.max(at, text.indexOf('\n', at));
      } else if (c == '(') {
        pairs++;
        require(type.isComplex(), at, "got a pair, want a value of " + type);
      } else if (DenseText.isNumberPart(c)) {
        int from = at;
        while (at + 1 < end && DenseText.isNumberPart(text.charAt(at + 1))) {
          at++;
        }
        set(builder, component++, from, at + 1, type.componentType());
      }
    }
    require(
        !type.isComplex() || (component == 2 * pairs && pairs == shape.elementCount()),
        start,
        "got a number, want a pair (real, imaginary)");
    return builder.build();
  }

  private static void require(boolean holds, int position, String message) {
    if (!holds) {
      throw new ParseException(position, message);
    }
  }

  private void set(LiteralBuilder builder, int component, int from, int to, ElementType part) {
    try {
      builder.setBits(component, number(text, from, to, part));
    } catch (HloException refusal) {
      throw new ParseException(from, refusal);
    }
  }

  /** Returns the bits of a number. */
  static long number(String text, int from, int to, ElementType type) {
    char first = text.charAt(from);
    boolean negative = first == '-';
    int digits = negative ? from + 1 : from;
    if (first == 't' || first == 'f') {
      return booleanBits(text, from, to, type);
    }
    if (to - digits > 2 && text.charAt(digits) == '0' && text.charAt(digits + 1) == 'x') {
      long bits = hexadecimal(text, digits + 2, to, type);
      return negative ? integer(text, from, to, -bits, type) : bits;
    }
    return type.isFloating()
        ? type.encode(real(text, from, to, type))
        : integer(text, from, to, decimal(text, from, to, type), type);
  }

  private static long booleanBits(String text, int from, int to, ElementType type) {
    String word = text.substring(from, to);
    boolean isTrue = word.equals("true");
    if (type != ElementType.PRED || (!isTrue && !word.equals("false"))) {
      throw wrong(text, from, to, type);
    }
    return isTrue ? 1 : 0;
  }

  private static long hexadecimal(String text, int from, int to, ElementType type) {
    try {
      long bits = Long.parseUnsignedLong(text, from, to, 16);
      if (type.bits() < Long.SIZE && bits >>> type.bits() != 0) {
        throw wrong(text, from - 2, to, type);
      }
      return bits;
    } catch (NumberFormatException noNumber) {
      throw wrong(text, from - 2, to, type);
    }
  }

  private static long decimal(String text, int from, int to, ElementType type) {
    try {
      return text.charAt(from) == '-'
          ? Long.parseLong(text, from, to, 10)
          : Long.parseUnsignedLong(text, from, to, 10);
    } catch (NumberFormatException noNumber) {
      throw wrong(text, from, to, type);
    }
  }

  /**
   * Checks that an integer has the width of its type; a signless type accepts both signed and
   * unsigned values.
   */
  private static long integer(String text, int from, int to, long value, ElementType type) {
    boolean negative = text.charAt(from) == '-';
    int bits = type.bits();
    boolean fits =
        negative
            ? type.kind() != ElementType.Kind.UNSIGNED && value >= -1L << (bits - 1)
            : bits == Long.SIZE || value >>> bits == 0;
    boolean isNot = type == ElementType.PRED && value == -1;
    if (!fits && !isNot) {
      throw wrong(text, from, to, type);
    }
    return isNot ? 1 : value;
  }

  /** Parses a decimal number; short ones are parsed without the library. */
  static double real(String text, int from, int to, ElementType type) {
    long digits = 0;
    int count = 0;
    int behindPoint = 0;
    boolean point = false;
    int at = text.charAt(from) == '-' ? from + 1 : from;
    if (at == to || !TextScanner.isDigit(text.charAt(at))) {
      throw wrong(text, from, to, type);
    }
    for (; at < to; at++) {
      char c = text.charAt(at);
      if (c == '.' && !point) {
        point = true;
      } else if (TextScanner.isDigit(c)) {
        digits = digits * 10 + c - '0';
        count += digits == 0 ? 0 : 1;
        behindPoint += point ? 1 : 0;
      } else {
        break;
      }
    }
    int exponent = at < to ? exponent(text, at, to) : 0;
    int power = exponent - behindPoint;
    if (count > MAX_EXACT_DIGITS
        || exponent == Integer.MIN_VALUE
        || Math.abs(power) >= POWERS.length) {
      return realByLibrary(text, from, to, type);
    }
    double value = power < 0 ? digits / POWERS[-power] : digits * POWERS[power];
    return text.charAt(from) == '-' ? -value : value;
  }

  /**
   * Returns the exponent after the digits; the least integer if it does not have one to three
   * digits.
   */
  private static int exponent(String text, int from, int to) {
    boolean signed =
        from + 1 < to && (text.charAt(from + 1) == '-' || text.charAt(from + 1) == '+');
    int digits = from + (signed ? 2 : 1);
    if ((text.charAt(from) | 0x20) != 'e' || digits >= to || to - digits > 3) {
      return Integer.MIN_VALUE;
    }
    int value = 0;
    for (int i = digits; i < to; i++) {
      if (!TextScanner.isDigit(text.charAt(i))) {
        return Integer.MIN_VALUE;
      }
      value = value * 10 + text.charAt(i) - '0';
    }
    return signed && text.charAt(from + 1) == '-' ? -value : value;
  }

  private static double realByLibrary(String text, int from, int to, ElementType type) {
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (!TextScanner.isDigit(c) && ".-+eE".indexOf(c) < 0) {
        throw wrong(text, from, to, type);
      }
    }
    try {
      return Double.parseDouble(text.substring(from, to));
    } catch (NumberFormatException noNumber) {
      throw wrong(text, from, to, type);
    }
  }

  private static HloException wrong(String text, int from, int to, ElementType type) {
    return new HloException(
        HloException.Kind.PARSE,
        "got " + text.substring(from, Math.min(to, from + 40)) + ", want a value of " + type);
  }
}
