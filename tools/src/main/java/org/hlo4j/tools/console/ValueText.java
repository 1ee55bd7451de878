package org.hlo4j.tools.console;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;

/** The text of values for people: one row per line, and only both ends of long dimensions. */
public final class ValueText {
  private static final String GAP = "...";
  private static final int MAX_LINE_LENGTH = 90;

  private final int shown;
  private final boolean onLines;
  private final StringBuilder text = new StringBuilder();

  private ValueText(int shown, boolean onLines) {
    this.shown = shown;
    this.onLines = onLines;
  }

  /**
   * Returns an array with its shape. If it is complete, HLO's parser reads it.
   *
   * @param literal the array, or a tuple
   * @param most the largest number of elements for which all are shown
   */
  public static String lines(Literal literal, long most) {
    return text(literal, most, 3, true);
  }

  /** Returns a value in one line, with a few elements at most. */
  public static String line(Literal literal) {
    return text(literal, 8, 2, false);
  }

  private static String text(Literal literal, long most, int edge, boolean onLines) {
    if (literal.shape() instanceof Shape.Array array) {
      if (array.elementCount() == 0 && literal.toHloText().equals("{...}")) {
        return array + " {...}";
      }
      boolean complete = array.elementCount() <= most;
      ValueText value = new ValueText(complete ? Integer.MAX_VALUE : edge, onLines);
      value.rows(literal, array, 0, 0);
      return array + " " + value.text;
    }
    if (literal.shape() instanceof Shape.Tuple) {
      StringBuilder tuple = new StringBuilder("(");
      for (Literal element : literal.elements()) {
        tuple.append(tuple.length() == 1 ? "" : ", ").append(text(element, most, edge, false));
      }
      return tuple.append(')').toString();
    }
    return literal.shape().toString();
  }

  private void rows(Literal literal, Shape.Array shape, int dimension, long first) {
    if (dimension == shape.rank()) {
      text.append(element(literal, shape, (int) first));
      return;
    }
    boolean breaks = onLines && dimension < shape.rank() - 1 && shape.elementCount() > 0;
    long size = shape.size(dimension);
    long each = 1;
    for (int d = dimension + 1; d < shape.rank(); d++) {
      each *= shape.size(d);
    }
    text.append('{');
    int lineStart = text.length();
    for (long i = 0; i < size; i++) {
      boolean isFull = onLines && text.length() - lineStart > MAX_LINE_LENGTH;
      text.append(i == 0 ? "" : ",");
      text.append(breaks || isFull ? newLine(dimension + 1) : i == 0 ? "" : " ");
      lineStart = isFull ? text.length() : lineStart;
      if (isLeftOut(i, size)) {
        text.append(GAP);
        i = size - shown - 1;
      } else {
        rows(literal, shape, dimension + 1, first + i * each);
      }
    }
    text.append(breaks ? newLine(dimension) : "").append('}');
  }

  private boolean isLeftOut(long i, long size) {
    return i >= shown && i < size - shown && size - shown > (long) shown + 1;
  }

  private static String newLine(int depth) {
    return "\n" + "  ".repeat(depth);
  }

  /**
   * Returns one element as HLO text writes it, except for the sign of NaN, which has no meaning.
   */
  public static String element(Literal literal, Shape.Array shape, int linear) {
    LiteralBuilder scalar = new LiteralBuilder(Shape.of(shape.elementType()));
    scalar.copy(0, literal, linear);
    return scalar.build().toHloText().replace("-nan", "nan");
  }
}
