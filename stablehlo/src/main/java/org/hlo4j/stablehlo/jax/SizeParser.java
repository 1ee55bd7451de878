package org.hlo4j.stablehlo.jax;

import java.util.ArrayList;
import java.util.List;
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
    SizeExpression left = product(depth);
    while (true) {
      if (eat('+')) {
        left = new SizeExpression.Operation("+", List.of(left, product(depth)));
      } else if (eat('-')) {
        left = new SizeExpression.Operation("-", List.of(left, product(depth)));
      } else {
        return left;
      }
    }
  }

  private SizeExpression product(int depth) {
    SizeExpression left = power(depth);
    while (eat('*')) {
      left = new SizeExpression.Operation("*", List.of(left, power(depth)));
    }
    return left;
  }

  private SizeExpression power(int depth) {
    SizeExpression base = atom(depth);
    return eat('^') ? new SizeExpression.Operation("^", List.of(base, atom(depth))) : base;
  }

  private SizeExpression atom(int depth) {
    if (eat('(')) {
      SizeExpression inner = sum(depth + 1);
      expect(')');
      return inner;
    }
    if (eat('-')) {
      return new SizeExpression.Operation(
          "*", List.of(new SizeExpression.Fixed(-1), atom(depth + 1)));
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
    List<SizeExpression> operands = new ArrayList<>();
    do {
      operands.add(sum(depth + 1));
    } while (eat(','));
    expect(')');
    return new SizeExpression.Operation(word, operands);
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
        HloException.Kind.PARSE,
        "size: got \"" + text + "\", want " + wanted + " at character " + (at + 1));
  }
}
