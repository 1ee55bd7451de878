package org.hlo4j.stablehlo.importer;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import org.hlo4j.hlo.HloException;

/** A reader of the text of Shardy's attributes, which MLIR keeps as it is written. */
final class ShardyText {
  private static final CharMatcher BLANKS = CharMatcher.whitespace();
  private static final CharMatcher BARE =
      CharMatcher.inRange('a', 'z')
          .or(CharMatcher.inRange('A', 'Z'))
          .or(CharMatcher.inRange('0', '9'))
          .or(CharMatcher.anyOf("_$.-"));
  private static final CharMatcher DIGITS = CharMatcher.inRange('0', '9');
  private static final int MAX_SHOWN = 80;

  private final String text;
  private int at;

  ShardyText(String text) {
    this.text = text;
  }

  private int skip() {
    int next = BLANKS.negate().indexIn(text, at);
    at = next < 0 ? text.length() : next;
    return at;
  }

  boolean looksAt(String token) {
    return text.startsWith(token, skip());
  }

  boolean eat(String token) {
    boolean here = looksAt(token);
    at += here ? token.length() : 0;
    return here;
  }

  void expect(String token) {
    if (!eat(token)) {
      throw wrong("'" + token + "'");
    }
  }

  /** Reads a name in quotes. */
  String quoted() {
    expect("\"");
    int end = text.indexOf('"', at);
    if (end < 0) {
      throw wrong("'\"' behind a name");
    }
    String name = text.substring(at, end);
    at = end + 1;
    return name;
  }

  /** Reads the name of a symbol, {@code @mesh}. */
  String symbol() {
    expect("@");
    return looksAt("\"") ? quoted() : word(BARE, "a name");
  }

  long number() {
    String digits = word(DIGITS, "a number");
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException large) {
      throw wrong("a number of 64 bits");
    }
  }

  private String word(CharMatcher matcher, String want) {
    int end = matcher.negate().indexIn(text, skip());
    String word = text.substring(at, end < 0 ? text.length() : end);
    if (word.isEmpty()) {
      throw wrong(want);
    }
    at += word.length();
    return word;
  }

  /** Reads {@code a, b} up to a token; {@code item} reads one of them. */
  void list(String end, Runnable item) {
    if (eat(end)) {
      return;
    }
    do {
      item.run();
    } while (eat(","));
    expect(end);
  }

  /** Returns a refusal of what comes next. */
  HloException wrong(String want) {
    return new HloException(
        HloException.Kind.PARSE,
        "got %s, want %s at character %s"
            .formatted(Ascii.truncate(text, MAX_SHOWN, "…"), want, at + 1));
  }
}
