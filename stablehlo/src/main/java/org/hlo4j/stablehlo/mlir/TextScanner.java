package org.hlo4j.stablehlo.mlir;

import java.io.ByteArrayOutputStream;
import org.hlo4j.hlo.schema.ByteStrings;
import org.hlo4j.hlo.source.ParseException;

/** A scanner of MLIR text: words, names, numbers, strings and punctuation. */
final class TextScanner {
  private static final int MAX_FOUND_LENGTH = 40;

  final String text;
  final int end;
  int at;

  /** Creates a scanner of a part of a text; positions refer to the whole text. */
  TextScanner(String text, int start, int end) {
    this.text = text;
    this.at = start;
    this.end = end;
  }

  /** Skips blanks and comments, and returns the position of the next token. */
  int skip() {
    while (at < end) {
      char c = text.charAt(at);
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        at++;
      } else if (c == '/' && charAt(at + 1) == '/') {
        at = endOfLine(at);
      } else {
        break;
      }
    }
    return at;
  }

  int endOfLine(int from) {
    int newline = text.indexOf('\n', from);
    return newline < 0 || newline > end ? end : newline;
  }

  boolean atEnd() {
    return skip() >= end;
  }

  /** Returns the next character that is not blank, or 0 at the end. */
  char peek() {
    skip();
    return charAt(at);
  }

  /** Returns the character at a position, or 0 after the end. */
  char charAt(int position) {
    return position < end ? text.charAt(position) : 0;
  }

  boolean looksAt(String punctuation) {
    skip();
    return at + punctuation.length() <= end && text.startsWith(punctuation, at);
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
      throw unexpectedToken(String.valueOf(c));
    }
  }

  void expect(String punctuation) {
    if (!eat(punctuation)) {
      throw unexpectedToken(punctuation);
    }
  }

  /** Reads any number of elements in brackets, with commas between them. */
  void list(String open, String close, Runnable element) {
    expect(open);
    if (!eat(close)) {
      do {
        element.run();
      } while (eat(','));
      expect(close);
    }
  }

  // Words and names.

  /** Returns whether the next word is this one as a whole. */
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
      throw unexpectedToken(word);
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

  /** Reads a word such as {@code stablehlo.add}. */
  String word(String want) {
    if (!looksAtWord()) {
      throw unexpectedToken(want);
    }
    int start = at;
    while (isWordPart(charAt(at))) {
      at++;
    }
    return text.substring(start, at);
  }

  /**
   * Reads the name that directly follows a percent sign, {@code ^}, {@code #} or {@code !}: digits,
   * or letters, digits and {@code $._-}.
   */
  String name() {
    int start = at;
    if (isDigit(charAt(at))) {
      skipDigits();
    } else {
      while (isWordPart(charAt(at)) || charAt(at) == '-') {
        at++;
      }
    }
    if (at == start) {
      throw unexpectedToken("a name");
    }
    return text.substring(start, at);
  }

  /** Reads the name of a symbol with its {@code @}. */
  String symbol() {
    if (peek() != '@') {
      throw unexpectedToken("a symbol such as @f");
    }
    at++;
    char c = charAt(at);
    if (c != '"' && !isLetter(c)) {
      throw unexpectedToken("the name of a symbol");
    }
    return c == '"' ? string() : word("the name of a symbol");
  }

  // Strings.

  /** Reads a string in double quotes, and resolves its escapes. */
  String string() {
    if (peek() != '"') {
      throw unexpectedToken("a string");
    }
    int start = at;
    at = endOfString(start);
    boolean plain = text.indexOf('\\', start, at) < 0; // not to the end of the text each time
    return plain ? text.substring(start + 1, at - 1) : unescaped(start + 1, at - 1);
  }

  /** Returns the position after the string that begins at a position. */
  int endOfString(int start) {
    int i = start + 1;
    while (i < end && text.charAt(i) != '"' && text.charAt(i) != '\n') {
      i += text.charAt(i) == '\\' ? 2 : 1;
    }
    if (charAt(i) != '"') {
      throw new ParseException(start, "got a string without an end, want \" on the same line");
    }
    return i + 1;
  }

  private String unescaped(int from, int to) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = from; i < to; ) {
      int c = text.codePointAt(i);
      if (c == '\\') {
        int simple = "\\\"nt".indexOf(text.charAt(i + 1));
        bytes.write(simple >= 0 ? "\\\"\n\t".charAt(simple) : hexadecimalByte(i));
        i += simple >= 0 ? 2 : 3;
      } else {
        bytes.writeBytes(ByteStrings.encoded(Character.toString(c)));
        i += Character.charCount(c);
      }
    }
    return ByteStrings.decoded(bytes.toByteArray());
  }

  private int hexadecimalByte(int escape) {
    int high = Character.digit(charAt(escape + 1), 16);
    int low = Character.digit(charAt(escape + 2), 16);
    if (high < 0 || low < 0) {
      throw new ParseException(
          escape, "got an unknown escape, want \\\\, \\\", \\n, \\t or two hexadecimal digits");
    }
    return high * 16 + low;
  }

  // Numbers.

  void skipDigits() {
    while (isDigit(charAt(at))) {
      at++;
    }
  }

  /** Reads a signed 64-bit integer. */
  long integer() {
    int start = skip();
    if (charAt(at) == '-') {
      at++;
    }
    int digits = at;
    skipDigits();
    if (at == digits) {
      at = start;
      throw unexpectedToken("a number");
    }
    try {
      return Long.parseLong(text, start, at, 10);
    } catch (NumberFormatException tooLarge) {
      throw new ParseException(
          start, "got " + shortened(start, at) + ", want a number of 64 bits with sign");
    }
  }

  /** Reads an integer from 0 to 2^31 - 1. */
  int count() {
    int start = skip();
    long count = integer();
    if (count < 0 || count > Integer.MAX_VALUE) {
      throw new ParseException(start, "got " + count + ", want a number from 0 to 2147483647");
    }
    return (int) count;
  }

  /** Returns the position after a decimal number that begins here: {@code -1}, {@code 1.5e-3}. */
  int endOfNumber() {
    int start = skip();
    at += charAt(at) == '-' ? 1 : 0;
    if (!isDigit(charAt(at))) {
      at = start;
      throw unexpectedToken("a number");
    }
    skipDigits();
    if (charAt(at) == '.') {
      at++;
      skipDigits();
      skipExponent();
    }
    int limit = at;
    at = start;
    return limit;
  }

  private void skipExponent() {
    if ((charAt(at) | 0x20) != 'e') {
      return;
    }
    int digits = at + (charAt(at + 1) == '+' || charAt(at + 1) == '-' ? 2 : 1);
    if (isDigit(charAt(digits))) {
      at = digits;
      skipDigits();
    }
  }

  // Brackets.

  /** Returns the position after the bracket that closes the one at the current position. */
  int endOfBrackets() {
    int depth = 0;
    int i = at;
    while (i < end) {
      char c = text.charAt(i);
      if (c == '"') {
        i = endOfString(i);
        continue;
      }
      if (c == '/' && charAt(i + 1) == '/') {
        i = endOfLine(i);
        continue;
      }
      if (c == '<' || c == '(' || c == '[' || c == '{') {
        depth++;
      } else if (isClosing(c, i) && --depth == 0) {
        return i + 1;
      }
      i++;
    }
    throw new ParseException(at, "got a bracket without an end, want the one that closes it");
  }

  /** Returns whether a character closes a bracket; the {@code >} of an arrow does not. */
  private boolean isClosing(char c, int position) {
    return c == ')' || c == ']' || c == '}' || (c == '>' && text.charAt(position - 1) != '-');
  }

  // Refusals.

  /** Returns a refusal of the text that comes next. */
  ParseException unexpectedToken(String want) {
    skip();
    return new ParseException(at, "got " + found() + ", want " + want);
  }

  /** Returns the next word, name or symbol, for a message. */
  private String found() {
    if (at >= end) {
      return "the end of the text";
    }
    int to = at + Character.charCount(text.codePointAt(at));
    if (text.charAt(at) == '"') {
      to = Math.min(endOfLine(at), Math.max(to, text.indexOf('"', to) + 1));
    }
    while (to < end && isWordPart(text.charAt(to)) && isNamed(text.charAt(at))) {
      to++;
    }
    return shortened(at, to);
  }

  private static boolean isNamed(char c) {
    return isWordPart(c) || "%@^#!-".indexOf(c) >= 0;
  }

  private String shortened(int from, int to) {
    return to - from > MAX_FOUND_LENGTH
        ? text.substring(from, from + MAX_FOUND_LENGTH) + "…"
        : text.substring(from, to);
  }
}
