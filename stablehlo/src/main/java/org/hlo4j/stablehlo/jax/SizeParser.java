package org.hlo4j.stablehlo.jax;

import static org.hlo4j.hlo.HloException.Kind.PARSE;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;

/** A parser of the size of a dimension in JAX's notation. */
final class SizeParser {
  private static final int MAX_DEPTH = 100;

  private final String text;
  private int at;

  SizeParser(String text) {
    this.text = text;
  }

  SizeExpression sum(int depth) {
    if (depth > MAX_DEPTH) {
      throw wrong("fewer than " + MAX_DEPTH + " parentheses");
    }
    return chain("+-", () -> chain("*", () -> signed(depth)));
  }

  /** Parses parts with operators between them, which apply from left to right. */
  private SizeExpression chain(String operators, Supplier<SizeExpression> part) {
    SizeExpression left = part.get();
    skipBlanks();
    while (at < text.length() && operators.indexOf(text.charAt(at)) >= 0) {
      String operator = text.substring(at, ++at);
      left = new SizeExpression.Operation(operator, left, part.get());
      skipBlanks();
    }
    return left;
  }

  /** Parses a power with signs before it, which bind less than {@code ^}, as in Python. */
  private SizeExpression signed(int depth) {
    boolean negative = false;
    while (true) {
      if (eat('-')) {
        negative = !negative;
      } else if (!eat('+')) {
        SizeExpression power = power(depth);
        return negative
            ? new SizeExpression.Operation("*", new SizeExpression.Fixed(-1), power)
            : power;
      }
    }
  }

  private SizeExpression power(int depth) {
    List<SizeExpression> operands = new ArrayList<>(List.of(atom(depth)));
    while (eat('^')) {
      operands.add(atom(depth));
    }
    SizeExpression right = operands.removeLast();
    while (!operands.isEmpty()) {
      right = new SizeExpression.Operation("^", operands.removeLast(), right);
    }
    return right;
  }

  private SizeExpression atom(int depth) {
    if (eat('(')) {
      SizeExpression inner = sum(depth + 1);
      expect(')');
      return inner;
    }
    skipBlanks();
    int start = at;
    while (at < text.length() && isWord(text.charAt(at))) {
      at++;
    }
    String word = text.substring(start, at);
    if (word.isEmpty()) {
      throw wrong("a number or a size variable");
    }
    return Character.isDigit(word.charAt(0)) ? number(word) : named(word, depth);
  }

  private SizeExpression number(String digits) {
    try {
      return new SizeExpression.Fixed(Long.parseLong(digits));
    } catch (NumberFormatException tooLarge) {
      throw wrong("a 64-bit number");
    }
  }

  private SizeExpression named(String word, int depth) {
    if (!eat('(')) {
      return new SizeExpression.Variable(word);
    }
    if (!List.of("floordiv", "mod", "max", "min").contains(word)) {
      throw wrong("floordiv, mod, max or min");
    }
    SizeExpression first = sum(depth + 1);
    expect(',');
    SizeExpression second = sum(depth + 1);
    expect(')');
    return new SizeExpression.Operation(word, first, second);
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private void skipBlanks() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
  }

  private boolean eat(char c) {
    skipBlanks();
    boolean there = at < text.length() && text.charAt(at) == c;
    at += there ? 1 : 0;
    return there;
  }

  private void expect(char c) {
    if (!eat(c)) {
      throw wrong("'" + c + "'");
    }
  }

  void requireEnd() {
    skipBlanks();
    if (at < text.length()) {
      throw wrong("nothing more");
    }
  }

  private HloException wrong(String wanted) {
    return new HloException(
        PARSE, "size: got \"%s\", want %s at character %s", text, wanted, at + 1);
  }
}
