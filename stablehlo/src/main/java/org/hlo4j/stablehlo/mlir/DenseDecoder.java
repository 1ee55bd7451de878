package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.PARSE;

import com.google.common.base.CharMatcher;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.SourceText;

/**
 * A decoder of the elements of a constant from text whose brackets have been checked.
 *
 * @param source the lines of the text, for the places of refusals
 * @param text the text
 * @param start where the elements begin
 * @param end where they end
 * @param tensor their type
 */
record DenseDecoder(SourceText source, String text, int start, int end, Type.Tensor tensor) {
  private static final CharMatcher DECIMAL =
      CharMatcher.inRange('0', '9').or(CharMatcher.anyOf(".-+eE"));

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
    try {
      return bits(text, from, to, type);
    } catch (NumberFormatException noNumber) {
      throw new HloException(
          PARSE, "got %s, want a value of %s", text.substring(from, Math.min(to, from + 40)), type);
    }
  }

  private static long bits(String text, int from, int to, ElementType type) {
    boolean negative = text.charAt(from) == '-';
    int digits = negative ? from + 1 : from;
    if (type == ElementType.PRED && Character.isLetter(text.charAt(from))) {
      return truth(text.substring(from, to));
    }
    if (to - digits > 2 && text.startsWith("0x", digits)) {
      long bits = Long.parseUnsignedLong(text, digits + 2, to, 16);
      long fitting = integer(bits, false, type);
      return negative ? integer(-fitting, true, type) : fitting;
    }
    return type.isFloating()
        ? type.encode(real(text.substring(digits, to), negative))
        : integer(
            negative
                ? Long.parseLong(text, from, to, 10)
                : Long.parseUnsignedLong(text, from, to, 10),
            negative,
            type);
  }

  private static long truth(String word) {
    return switch (word) {
      case "true" -> 1;
      case "false" -> 0;
      default -> throw new NumberFormatException();
    };
  }

  /**
   * Checks that an integer has the width of its type; a signless type accepts both signed and
   * unsigned values.
   */
  private static long integer(long value, boolean negative, ElementType type) {
    int bits = type.bits();
    boolean fits =
        negative
            ? type.kind() != ElementType.Kind.UNSIGNED && value >= -1L << (bits - 1)
            : bits == Long.SIZE || value >>> bits == 0;
    boolean isNot = type == ElementType.PRED && value == -1;
    if (!fits && !isNot) {
      throw new NumberFormatException();
    }
    return isNot ? 1 : value;
  }

  /** Parses a decimal number behind its sign. */
  private static double real(String digits, boolean negative) {
    if (digits.isEmpty()
        || !TextScanner.isDigit(digits.charAt(0))
        || !DECIMAL.matchesAllOf(digits)) {
      throw new NumberFormatException();
    }
    double value = Double.parseDouble(digits);
    return negative ? -value : value;
  }
}
