package org.hlo4j.hlo.text;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of literals of a known shape: {@code 1.5}, <code>{ { 1, 2 }, { 3, 4 } }</code>, {@code (
 * 1, {2} )}. Commas may be left out. <code>{...}</code> denotes omitted elements. An array of one
 * element may be written as a scalar.
 */
final class LiteralParser {
  private static final int MAX_EMPTY_ROWS = 1_000_000;

  private final Lexer text;
  private final boolean takesTokens;

  /** A parser of constants, which have no tokens. */
  LiteralParser(Lexer text) {
    this(text, false);
  }

  /** A parser of values, tokens among them if they may be. */
  LiteralParser(Lexer text, boolean takesTokens) {
    this.text = text;
    this.takesTokens = takesTokens;
  }

  Literal literal(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> array(array);
      case Shape.Tuple tuple -> tuple(tuple);
      case Shape.Buffer buffer -> throw text.wanted("no literal: a buffer has no value");
      case Shape.Token token -> token();
      case Shape.Opaque opaque -> throw text.wanted("no literal: an opaque has no value");
    };
  }

  /** Reads {@code token}, or nothing, or the shape {@code token[]} in its place in a tuple. */
  private Literal token() {
    if (!takesTokens) {
      throw text.wanted("no literal: a token has no value");
    }
    if (text.acceptWord("token") && text.accept("[")) {
      text.expect("]", "]");
    }
    return Literal.token();
  }

  private Literal tuple(Shape.Tuple shape) {
    int start = text.skipBlanks();
    if (acceptCut()) {
      return elided(start, shape);
    }
    text.expect("(", "( and the elements of " + shape);
    Literal[] elements = new Literal[shape.elements().size()];
    for (int i = 0; i < elements.length; i++) {
      elements[i] = literal(shape.elements().get(i));
      text.accept(",");
    }
    text.expect(")", ") behind " + elements.length + " elements of the tuple");
    return Literal.tuple(elements);
  }

  private Literal array(Shape.Array shape) {
    int start = text.skipBlanks();
    ShapeParser.checked(start, shape::withStaticSizes);
    if (acceptCut()) {
      return elided(start, shape);
    }
    if (shape.rank() > 0 && !isBraced(shape)) {
      requireOneElement(start, shape);
      return read(start, shape, shape.withSizes(Dims.of()));
    }
    requirePossible(start, shape);
    return read(start, shape, shape);
  }

  /** Reads the elements of an array as those of another shape with as many. */
  private Literal read(int start, Shape.Array shape, Shape.Array written) {
    LiteralBuilder builder = ShapeParser.checked(start, () -> new LiteralBuilder(shape));
    return new Elements(builder, written).read();
  }

  /** Returns whether a brace comes next, or nothing that could be a scalar. */
  private boolean isBraced(Shape.Array shape) {
    return text.atEnd()
        || "{})".indexOf(text.peek()) >= 0
        || (text.peek() == '(' && !shape.elementType().isComplex());
  }

  /**
   * Checks that a scalar is for an array of one element, as XLA writes it. Of a larger array, XLA
   * would read it as the first element, before zeros.
   */
  private static void requireOneElement(int start, Shape.Array shape) {
    long count = shape.elementCount();
    if (count != 1) {
      throw new ParseException(
          start,
          "got a scalar for the "
              + count
              + " elements of "
              + shape
              + ", want { and all of them, or a broadcast of a scalar constant");
    }
  }

  /**
   * Consumes <code>{...}</code>, which denotes omitted elements, if it comes next, and returns
   * whether it did.
   */
  private boolean acceptCut() {
    int start = text.skipBlanks();
    if (text.accept("{") && text.accept("...")) {
      text.expect("}", "}");
      return true;
    }
    text.moveTo(start);
    return false;
  }

  private static Literal elided(int start, Shape shape) {
    return switch (shape) {
      case Shape.Array array -> Literal.elided(array);
      case Shape.Tuple tuple ->
          Literal.tuple(
              tuple.elements().stream().map(part -> elided(start, part)).toArray(Literal[]::new));
      case Shape.Buffer buffer -> throw new ParseException(start, "got a buffer, want a value");
      case Shape.Token token -> throw new ParseException(start, "got a token, want a value");
      case Shape.Opaque opaque -> throw new ParseException(start, "got an opaque, want a value");
    };
  }

  /**
   * Checks the size before memory is allocated: each element takes at least a character of the
   * text.
   */
  private void requirePossible(int start, Shape.Array shape) {
    long count = shape.elementCount();
    if (count > text.remaining()) {
      int given = givenElements();
      throw new ParseException(
          start,
          "got "
              + given
              + (given == 1 ? " element" : " elements")
              + ", want "
              + count
              + " elements of "
              + shape);
    }
    if (count == 0 && rowsBeforeEmpty(shape.sizes()) > MAX_EMPTY_ROWS) {
      throw new ParseException(start, "got " + shape + ", want fewer empty rows");
    }
  }

  /** Returns how many elements the literal here has, which may be nested in any way. */
  private int givenElements() {
    int start = text.position();
    int elements = 0;
    int depth = 0;
    while (!text.atEnd()) {
      if (text.accept("{")) {
        depth++;
      } else if (text.accept("}")) {
        depth--;
      } else if (!text.accept(",")) {
        elements++;
        text.skipElement();
      }
      if (depth <= 0) {
        break;
      }
    }
    text.moveTo(start);
    return elements;
  }

  private static double rowsBeforeEmpty(Dims sizes) {
    double rows = 1;
    for (int i = 0; i < sizes.count() && sizes.get(i) != 0; i++) {
      rows *= sizes.get(i);
    }
    return rows;
  }

  /** A reader of the elements of one array. */
  private final class Elements {
    private final LiteralBuilder builder;
    private final Shape.Array shape;
    private final NumberReader number;
    private final long[] index;
    private int linear;

    Elements(LiteralBuilder builder, Shape.Array shape) {
      this.builder = builder;
      this.shape = shape;
      this.number = new NumberReader(text, shape.elementType());
      this.index = new long[shape.rank()];
    }

    Literal read() {
      if (!acceptEmpty()) {
        level(0);
      }
      return builder.build();
    }

    /** Consumes {@code {}}, the text of an array without elements of any rank. */
    private boolean acceptEmpty() {
      int start = text.position();
      if (shape.elementCount() == 0 && text.accept("{") && text.accept("}")) {
        return true;
      }
      text.moveTo(start);
      return false;
    }

    private void level(int depth) {
      if (depth == shape.rank()) {
        number.readInto(builder, linear++);
        text.accept(",");
        return;
      }
      text.expect("{", "{ and " + shape.size(depth) + " elements" + place(depth));
      for (index[depth] = 0; index[depth] < shape.size(depth); index[depth]++) {
        if (text.peek() == '}') {
          throw text.wanted(
              shape.size(depth) + " elements rather than " + index[depth] + place(depth));
        }
        level(depth + 1);
      }
      text.expect("}", "} behind " + shape.size(depth) + " elements" + place(depth));
      text.accept(",");
    }

    private String place(int depth) {
      if (depth == 0) {
        return " of " + shape;
      }
      return " at index " + Dims.of(Arrays.copyOf(index, depth)) + " of " + shape;
    }
  }
}
