package org.hlo4j.stablehlo.mlir;

import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** Decodes the elements of constants from text. */
final class DenseDecoder {
  private final String text;
  private final int end;
  private final ElementType type;
  private int at;

  private DenseDecoder(String text, int from, int end, ElementType type) {
    this.text = text;
    this.at = from;
    this.end = end;
    this.type = type;
  }

  private static Shape.Array shape(Type.Tensor tensor) {
    ElementType type =
        Types.storage(tensor.element())
            .orElseThrow(() -> wrong("got elements of type " + tensor.element()));
    return Shape.of(type, Dims.copyOf(tensor.sizes()));
  }

  private static HloException wrong(String message) {
    return new HloException(HloException.Kind.PARSE, "dense: " + message);
  }

  /** One element, for a splat. */
  static Literal scalar(String text, int from, int to, Type.Tensor tensor) {
    ElementType type = shape(tensor).elementType();
    LiteralBuilder builder = new LiteralBuilder(Shape.of(type));
    DenseDecoder decoder = new DenseDecoder(text, from, to, type);
    try {
      decoder.element(builder, 0);
      decoder.skip();
      if (decoder.at < to) {
        throw decoder.wrongElement(decoder.at);
      }
    } catch (HloException refusal) {
      throw new TextError(from, refusal.summary());
    }
    return builder.build();
  }

  /** Elements in nested brackets. */
  static Literal nested(String text, int from, int to, Type.Tensor tensor) {
    Shape.Array shape = shape(tensor);
    long count = shape.elementCount();
    if (count > to - from) {
      throw wrong("got fewer elements than " + tensor + " has");
    }
    LiteralBuilder builder = new LiteralBuilder(shape);
    DenseDecoder decoder = new DenseDecoder(text, from, to, shape.elementType());
    decoder.skip();
    if (decoder.at < to) {
      decoder.list(builder, shape, 0, 0);
      decoder.skip();
    }
    if (decoder.at < to || (count > 0 && from >= to)) {
      throw wrong("got elements that do not have the sizes of " + tensor);
    }
    return builder.build();
  }

  private int list(LiteralBuilder builder, Shape.Array shape, int dimension, int linear) {
    if (dimension == shape.rank()) {
      element(builder, linear);
      return linear + 1;
    }
    int next = linear;
    long count = 0;
    expect('[');
    skip();
    if (at < end && text.charAt(at) == ']') {
      at++;
    } else {
      do {
        if (++count > shape.size(dimension)) {
          break;
        }
        next = list(builder, shape, dimension + 1, next);
        skip();
      } while (eat(','));
      if (count <= shape.size(dimension)) {
        expect(']');
      }
    }
    if (count != shape.size(dimension)) {
      throw wrong(
          "got "
              + (count > shape.size(dimension) ? "more than " + (count - 1) : count)
              + " elements in dimension "
              + dimension
              + ", want the sizes of "
              + shape);
    }
    return next;
  }

  private void skip() {
    while (at < end && text.charAt(at) <= ' ') {
      at++;
    }
    if (at + 1 < end && text.charAt(at) == '/' && text.charAt(at + 1) == '/') {
      int line = text.indexOf('\n', at);
      at = line < 0 || line > end ? end : line;
      skip();
    }
  }

  private boolean eat(char c) {
    if (at < end && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    skip();
    if (!eat(c)) {
      throw wrong(
          "got "
              + (at < end ? "'" + text.charAt(at) + "'" : "the end")
              + ", want '"
              + c
              + "' and the sizes of the type");
    }
  }

  private void element(LiteralBuilder builder, int linear) {
    skip();
    if (!type.isComplex()) {
      number(builder, type, linear);
      return;
    }
    if (eat('(')) {
      number(builder, type.componentType(), 2 * linear);
      skip();
      expect(',');
      number(builder, type.componentType(), 2 * linear + 1);
      expect(')');
    } else {
      throw wrongElement(at);
    }
  }

  private void number(LiteralBuilder builder, ElementType part, int component) {
    skip();
    int from = at;
    while (at < end && ",]()> \n\t\r".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    builder.setBits(component, bits(text.substring(from, at), part, from));
  }

  private long bits(String word, ElementType part, int from) {
    try {
      if (word.equals("true") || word.equals("false")) {
        if (part != ElementType.PRED) {
          throw wrongElement(from);
        }
        return word.equals("true") ? 1 : 0;
      }
      if (word.startsWith("0x") || word.startsWith("-0x")) {
        return hexadecimal(word);
      }
      if (part.isFloating()) {
        return part.encode(Double.parseDouble(word));
      }
      long value =
          part == ElementType.U64 && !word.startsWith("-")
              ? Long.parseUnsignedLong(word)
              : Long.parseLong(word);
      boolean fits =
          part == ElementType.U64
              || part.wrap(value) == value
              || (part.kind() == ElementType.Kind.SIGNED && value >> part.bits() == 0)
              || (part == ElementType.PRED && value == -1);
      if (!fits) {
        throw wrongElement(from);
      }
      return value;
    } catch (NumberFormatException noNumber) {
      throw wrongElement(from);
    }
  }

  private static long hexadecimal(String word) {
    boolean negative = word.startsWith("-");
    long bits = Long.parseUnsignedLong(word.substring(negative ? 3 : 2), 16);
    return negative ? -bits : bits;
  }

  private HloException wrongElement(int from) {
    int to = Math.min(Math.max(at, from + 1), Math.min(end, from + 40));
    return wrong(
        "got '" + (from < to ? text.substring(from, to) : "") + "', want an element of " + type);
  }

  /** Bytes of elements as hexadecimal digits, row-major, little-endian; one element is a splat. */
  static Literal hexadecimal(String text, int from, int to, Type.Tensor tensor) {
    Shape.Array shape = shape(tensor);
    int bytes = (to - from) / 2;
    if ((to - from) % 2 != 0) {
      throw wrong("got " + (to - from) + " hexadecimal digits, want an even number");
    }
    byte[] blob = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      int high = Character.digit(text.charAt(from + 2 * i), 16);
      int low = Character.digit(text.charAt(from + 2 * i + 1), 16);
      if (high < 0 || low < 0) {
        throw wrong(
            "got '"
                + text.substring(from + 2 * i, from + 2 * i + 2)
                + "', want hexadecimal digits");
      }
      blob[i] = (byte) (high * 16 + low);
    }
    Optional<Literal> literal = RawElements.decode(blob, shape);
    return literal.orElseThrow(() -> wrong("got " + bytes + " bytes, want those of " + tensor));
  }
}
