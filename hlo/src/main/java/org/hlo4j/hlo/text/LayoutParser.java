package org.hlo4j.hlo.text;

import com.google.common.base.Ascii;
import java.util.StringJoiner;
import java.util.function.Supplier;
import org.hlo4j.hlo.source.ParseException;

/**
 * A parser of the details of a layout after its colon, {@code T(8,128)(2,1)S(5)}: names, each
 * followed by lists in parentheses. The result is the text that XLA prints: without blanks, and
 * without the parts that have default values.
 */
final class LayoutParser {
  private static final String LEVELS = "DCSH";

  private final Lexer text;

  LayoutParser(Lexer text) {
    this.text = text;
  }

  /** Reads the rest of the text: each part at most once, in XLA's order. */
  String details() {
    String details =
        lists("D", this::levels)
            + lists("T", this::tile)
            + number("L", 1)
            + lists("#", text::word)
            + lists("*", text::word)
            + number("E", 0)
            + number("S", 0)
            + lists("SC", this::split)
            + lists("P", () -> new ShapeParser(text).shape().toString())
            + number("M", 0);
    if (!text.atEnd()) {
      throw refused();
    }
    return details;
  }

  /** Consumes a name if it comes next, and returns whether it did. */
  private boolean accept(String name) {
    int start = text.skipBlanks();
    if (text.accept(name) && text.peek() == '(') {
      return true;
    }
    text.moveTo(start);
    return false;
  }

  /** Reads a part with any number of lists; empty if it is absent. */
  private String lists(String name, Supplier<String> list) {
    if (!accept(name)) {
      return "";
    }
    StringBuilder part = new StringBuilder(name);
    while (text.accept("(")) {
      part.append('(').append(list.get()).append(')');
      close();
    }
    return part.toString();
  }

  /** Reads a part with one number; empty if it is absent or has the default value. */
  private String number(String name, long usual) {
    if (!accept(name)) {
      return "";
    }
    text.expect("(", "(");
    long value = count();
    close();
    return value == usual ? "" : name + "(" + value + ")";
  }

  private void close() {
    if (!text.accept(")")) {
      throw refused();
    }
  }

  private long count() {
    if (!Lexer.isDigit(text.peek())) {
      throw refused();
    }
    return text.integer("a number");
  }

  /**
   * Reads the levels of a sparse array: a letter for each, with + if not unique and ~ if not
   * ordered.
   */
  private String levels() {
    StringJoiner levels = new StringJoiner(",");
    do {
      int start = text.skipBlanks();
      String level = text.word();
      if (level.length() != 1 || !LEVELS.contains(level)) {
        text.moveTo(start);
        throw refused();
      }
      levels.add(level + (text.accept("+") ? "+" : "") + (text.accept("~") ? "~" : ""));
    } while (text.accept(","));
    return levels.toString();
  }

  /** Reads the sizes of a tile; a star is a dimension that is combined with the next. */
  private String tile() {
    return counts(() -> text.accept("*") ? "*" : Long.toString(count()));
  }

  private String split() {
    long dimension = count();
    text.expect(":", ": and the indices to split at");
    return dimension + ":" + counts(() -> Long.toString(count()));
  }

  private String counts(Supplier<String> count) {
    StringJoiner counts = new StringJoiner(",");
    while (text.peek() != ')') {
      counts.add(count.get());
      if (!text.accept(",") && text.peek() != ')') {
        throw refused();
      }
    }
    return counts.toString();
  }

  private ParseException refused() {
    int at = text.position();
    return new ParseException(
        at,
        "got "
            + Ascii.truncate(text.substring(at, at + text.remaining()), 40, "…")
            + " in a layout, want some of D(…)T(…)L(…)#(…)*(…)E(…)S(…)SC(…)P(…)M(…) in this order");
  }
}
