package org.hlo4j.stablehlo.mlir;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Reads MLIR text character by character: words, names, numbers, strings and punctuation. */
final class TextScanner {
  final String text;
  int at;

  TextScanner(String text, int start) {
    this.text = text;
    this.at = start;
  }

  /** Skips blanks and comments. */
  void skip() {
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\uFEFF') {
        at++;
      } else if (c == '/' && at + 1 < text.length() && text.charAt(at + 1) == '/') {
        int end = text.indexOf('\n', at);
        at = end < 0 ? text.length() : end;
      } else {
        return;
      }
    }
  }

  boolean atEnd() {
    skip();
    return at >= text.length();
  }

  /** The next character that is no blank, or 0 at the end. */
  char peek() {
    skip();
    return at < text.length() ? text.charAt(at) : 0;
  }

  /** The character at a distance, or 0. */
  char charAt(int position) {
    return position < text.length() ? text.charAt(position) : 0;
  }

  boolean looksAt(String punctuation) {
    skip();
    return text.startsWith(punctuation, at);
  }

  boolean eat(String punctuation) {
    if (!looksAt(punctuation)) {
      return false;
    }
    at += punctuation.length();
    return true;
  }

  boolean eat(char c) {
    if (peek() != c) {
      return false;
    }
    at++;
    return true;
  }

  void expect(char c) {
    if (!eat(c)) {
      throw wrong("'" + c + "'");
    }
  }

  void expect(String punctuation) {
    if (!eat(punctuation)) {
      throw wrong("'" + punctuation + "'");
    }
  }

  /** Whether the next word is this one, not only its beginning. */
  boolean looksAtWord(String word) {
    return looksAt(word) && !isWordPart(charAt(at + word.length()));
  }

  boolean eatWord(String word) {
    if (!looksAtWord(word)) {
      return false;
    }
    at += word.length();
    return true;
  }

  void expectWord(String word) {
    if (!eatWord(word)) {
      throw wrong("'" + word + "'");
    }
  }

  static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  static boolean isWordPart(char c) {
    return isLetter(c) || isDigit(c) || c == '$' || c == '.';
  }

  boolean looksAtWord() {
    return isLetter(peek());
  }

  /** A word such as {@code stablehlo.add}. */
  String word(String wanted) {
    if (!looksAtWord()) {
      throw wrong(wanted);
    }
    int start = at;
    while (isWordPart(charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  /** What follows {@code %}, {@code ^}, {@code #} or {@code !}: letters, digits, {@code $._-}. */
  String name() {
    int start = at;
    while (isWordPart(charAt(at)) || charAt(at) == '-') {
      at++;
    }
    if (at == start) {
      throw wrong("a name");
    }
    return text.substring(start, at);
  }

  /** The name of a symbol behind its {@code @}. */
  String symbol() {
    expect('@');
    return charAt(at) == '"' ? string() : name();
  }

  /** A string in double quotes, its escapes resolved. */
  String string() {
    skip();
    int start = at;
    expect('"');
    int end = at;
    boolean plain = true;
    while (true) {
      char c = charAt(end);
      if (end >= text.length() || c == '\n') {
        at = start;
        throw wrong("a string that ends on its line");
      }
      if (c == '"') {
        break;
      }
      plain &= c != '\\';
      end += c == '\\' ? 2 : 1;
    }
    String body = text.substring(at, Math.min(end, text.length()));
    at = end + 1;
    return plain ? body : unescaped(body, start);
  }

  private String unescaped(String body, int start) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < body.length(); ) {
      int c = body.codePointAt(i);
      if (c != '\\') {
        bytes.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        i += Character.charCount(c);
        continue;
      }
      char next = i + 1 < body.length() ? body.charAt(i + 1) : 0;
      int simple = "\\\"nt".indexOf(next);
      if (simple >= 0 && next != 0) {
        bytes.write("\\\"\n\t".charAt(simple));
        i += 2;
      } else {
        bytes.write(hexByte(body, i + 1, start));
        i += 3;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static int hexByte(String body, int from, int start) {
    int high = from + 1 < body.length() ? Character.digit(body.charAt(from), 16) : -1;
    int low = high < 0 ? -1 : Character.digit(body.charAt(from + 1), 16);
    if (low < 0) {
      throw new TextError(
          start, "string: got an unknown escape, want \\\\, \\\", \\n, \\t or \\XX");
    }
    return high * 16 + low;
  }

  /** Digits, as they stand. */
  String digits() {
    skip();
    int start = at;
    while (isDigit(charAt(at))) {
      at++;
    }
    if (at == start) {
      throw wrong("a number");
    }
    return text.substring(start, at);
  }

  /** A whole number of 64 bits, maybe negative. */
  long integer() {
    skip();
    int start = at;
    boolean negative = eat('-');
    String digits = digits();
    try {
      return Long.parseLong(negative ? "-" + digits : digits);
    } catch (NumberFormatException tooLarge) {
      throw new TextError(start, "got " + digits + ", want a number of 64 bits");
    }
  }

  /** What is got here, and what was wanted. */
  TextError wrong(String wanted) {
    skip();
    return new TextError(at, "got " + found() + ", want " + wanted);
  }

  private String found() {
    if (at >= text.length()) {
      return "the end of the text";
    }
    int end = at;
    while (end < text.length() && end < at + 40 && isWordPart(text.charAt(end))) {
      end++;
    }
    return "'"
        + text.substring(at, Math.max(end, at + Character.charCount(text.codePointAt(at))))
        + "'";
  }

  /** The position behind the bracket that closes the one at the current position. */
  int endOfBrackets() {
    int depth = 0;
    for (int i = at; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"') {
        i = text.indexOf('"', i + 1);
        while (i > 0 && text.charAt(i - 1) == '\\') {
          i = text.indexOf('"', i + 1);
        }
        if (i < 0) {
          break;
        }
      } else if ("<([{".indexOf(c) >= 0) {
        depth++;
      } else if (">)]}".indexOf(c) >= 0
          && !(c == '>' && text.charAt(i - 1) == '-') // an arrow
          && --depth == 0) {
        return i + 1;
      }
    }
    throw wrong("brackets that are closed");
  }
}
