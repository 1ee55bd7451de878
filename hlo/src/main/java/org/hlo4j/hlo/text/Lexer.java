package org.hlo4j.hlo.text;

import java.util.Arrays;
import org.hlo4j.hlo.SourcePosition;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.source.ParseException;
import org.hlo4j.hlo.source.ReadLimits;
import org.hlo4j.hlo.source.SourceText;

/**
 * A lexer of HLO text: blanks and comments, words, numbers, strings, symbols.
 *
 * <p>Every method skips blanks and comments first. An unexpected token throws a {@link
 * ParseException} at its start.
 */
final class Lexer {
  private static final int MAX_NESTED = 1000;
  private static final int LONGEST_FOUND = 30;

  private final String text;
  private final SourceText source;
  private final ReadLimits limits;
  private final int end;
  private int position;

  Lexer(String text) {
    this(text, new SourceText(text), new ReadLimits("HLO text", text.length()), 0, text.length());
  }

  private Lexer(String text, SourceText source, ReadLimits limits, int start, int end) {
    this.text = text;
    this.source = source;
    this.limits = limits;
    this.position = start;
    this.end = end;
  }

  /** Returns a lexer of a part of the same text, with the same positions. */
  Lexer part(int from, int to) {
    return new Lexer(text, source, limits, from, to);
  }

  /** Returns the line and column of a position. */
  SourcePosition place(int at) {
    return source.position(at);
  }

  int position() {
    return position;
  }

  /** Returns the account of the text. */
  ReadLimits limits() {
    return limits;
  }

  void moveTo(int newPosition) {
    position = newPosition;
  }

  String substring(int from, int to) {
    return text.substring(from, to);
  }

  /**
   * Returns the number of characters left, which is an upper bound of the elements that can follow.
   */
  int remaining() {
    return end - position;
  }

  // Blanks and comments.

  /** Skips to the start of the next token, and returns its position. */
  int skipBlanks() {
    while (position < end) {
      char c = text.charAt(position);
      if (isBlank(c)) {
        position++;
      } else if (c == '/' && startsWith("/*")) {
        position = endOfComment();
      } else if (c == '/' && startsWith("//")) {
        position = endOfLine(position);
      } else {
        break;
      }
    }
    return position;
  }

  private int endOfComment() {
    int close = text.indexOf("*/", position + 2);
    if (close < 0 || close + 2 > end) {
      throw new ParseException(position, "got a comment without an end, want */");
    }
    return close + 2;
  }

  private int endOfLine(int from) {
    int at = from;
    while (at < end && text.charAt(at) != '\n' && text.charAt(at) != '\r') {
      at++;
    }
    return at;
  }

  // What comes next.

  boolean atEnd() {
    return skipBlanks() == end;
  }

  /** Returns the first character of the next token; 0 at the end. */
  char peek() {
    return atEnd() ? 0 : text.charAt(position);
  }

  /** Returns the character at the current position, blank or not; 0 at the end. */
  char here() {
    return position < end ? text.charAt(position) : 0;
  }

  /** Returns the character at an offset from the current position; 0 past the end. */
  char here(int offset) {
    return position + offset < end ? text.charAt(position + offset) : 0;
  }

  private boolean startsWith(String symbol) {
    return position + symbol.length() <= end && text.startsWith(symbol, position);
  }

  /** Consumes a symbol if it comes next, and returns whether it did. */
  boolean accept(String symbol) {
    skipBlanks();
    if (!startsWith(symbol)) {
      return false;
    }
    position += symbol.length();
    return true;
  }

  void expect(String symbol, String want) {
    if (!accept(symbol)) {
      throw wanted(want);
    }
  }

  /** Returns the error for an unexpected next token. */
  ParseException wanted(String want) {
    skipBlanks();
    return new ParseException(position, "got " + found() + ", want " + want);
  }

  /** Returns the next word, number or symbol, for a message. */
  private String found() {
    if (position == end) {
      return position == text.length() ? "the end of the text" : "the end of the value";
    }
    int to = position;
    while (to < end && (isNamePart(text.charAt(to)) || text.charAt(to) == '%')) {
      to++;
    }
    to = Math.max(to, position + 1);
    String word = text.substring(position, Math.min(to, position + LONGEST_FOUND));
    return to - position > LONGEST_FOUND ? word + "…" : word;
  }

  // Words.

  private static boolean isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c) || c == '.' || c == '-';
  }

  static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Consumes the next word, {@code [a-zA-Z_][a-zA-Z0-9_.-]*}; empty if none does. */
  String word() {
    int start = skipBlanks();
    if (!isNameStart(here())) {
      return "";
    }
    // `a->b` is no word.
    while (isNamePart(here()) && !startsWith("->")) {
      position++;
    }
    return text.substring(start, position);
  }

  /** Returns the next word without consuming it. */
  String peekWord() {
    int start = skipBlanks();
    String word = word();
    position = start;
    return word;
  }

  /** Consumes a word if exactly it comes next, and returns whether it did. */
  boolean acceptWord(String word) {
    int start = skipBlanks();
    if (startsWith(word) && word().equals(word)) {
      return true;
    }
    position = start;
    return false;
  }

  /** Reads a name, with or without a percent sign. */
  String name(String want) {
    int start = skipBlanks();
    accept("%");
    String name = isBlank(here()) ? "" : word();
    if (name.isEmpty()) {
      position = start;
      throw wanted(want);
    }
    return name;
  }

  // Numbers.

  /**
   * Reads an integer that fits into a long, or returns the bits of one that fits only into an
   * unsigned long.
   */
  long integer(String want) {
    int start = skipBlanks();
    int at = start + (here() == '-' ? 1 : 0);
    int digits = at;
    while (at < end && isDigit(text.charAt(at))) {
      at++;
    }
    if (at == digits || at - digits > 20) {
      throw wanted(want);
    }
    position = at;
    return parseLong(start, at, want);
  }

  private long parseLong(int start, int to, String want) {
    try {
      return Long.parseLong(text, start, to, 10);
    } catch (NumberFormatException beyond) {
      position = start;
      throw wanted(want + " from -2^63 to 2^63 - 1");
    }
  }

  int smallInteger(String want) {
    int start = skipBlanks();
    long value = integer(want);
    if (value != (int) value) {
      position = start;
      throw wanted(want + " from -2^31 to 2^31 - 1");
    }
    return (int) value;
  }

  /** Reads the characters of a number, such as {@code -1.5e+3}, {@code inf} or {@code nan(0x1)}. */
  String number() {
    int start = skipBlanks();
    if (here() == '-' || here() == '+') {
      position++;
    }
    while (isNumberPart(here())) {
      position++;
    }
    if (here() == '(' && text.startsWith("nan", position - 3)) {
      int close = text.indexOf(')', position);
      position = close < 0 || close >= end ? end : close + 1;
    }
    return text.substring(start, position);
  }

  /** Skips what is written for an element of an array, whatever it is, to its end. */
  void skipElement() {
    boolean isComplex = here() == '(';
    do {
      position++;
    } while (position < end
        && (isComplex ? here(-1) != ')' : !isBlank(here()) && ",{}".indexOf(here()) < 0));
  }

  private boolean isNumberPart(char c) {
    boolean sign = (c == '-' || c == '+') && (text.charAt(position - 1) | 0x20) == 'e';
    return isDigit(c) || isNameStart(c) || c == '.' || sign;
  }

  // Strings and uninterpreted values.

  /** Reads a quoted string and resolves its escapes. */
  String string(String want) {
    int start = skipBlanks();
    if (here() != '"' && here() != '\'') {
      throw wanted(want);
    }
    skipString();
    return AttributeText.unescaped(text.substring(start + 1, position - 1));
  }

  /** Skips the quoted string at the current position. */
  void skipString() {
    int start = position;
    char quote = text.charAt(position);
    position++;
    while (position < end && text.charAt(position) != quote) {
      position += text.charAt(position) == '\\' ? 2 : 1;
    }
    if (position >= end) {
      position = start;
      throw new ParseException(start, "got a string without an end, want " + quote);
    }
    position++;
  }

  /**
   * Skips an attribute value of any form: up to a comma, a closing bracket or the end of the line,
   * where brackets and strings inside it are skipped as a whole.
   */
  void skipValue() {
    skipBlanks();
    while (skipPartOfValue()) {
      // The value may continue.
    }
  }

  /**
   * Skips a value that ends at a blank. Blanks are allowed between the parts of replica groups,
   * {@code [2,2] <= [4] T (1,0)}.
   */
  void skipCompactValue() {
    skipBlanks();
    while (isBlank(here()) ? iotaGoesOn() : skipPartOfValue()) {
      // The value may continue.
    }
  }

  /** Skips a part of a value; returns whether there was one. */
  private boolean skipPartOfValue() {
    if (position == end) {
      return false;
    }
    switch (text.charAt(position)) {
      case ',', '\n', '\r', ')', ']', '}' -> {
        return false;
      }
      case '"', '\'' -> skipString();
      case '(', '[', '{' -> skipBracketed();
      default -> position++;
    }
    return true;
  }

  /** Skips blanks if the rest of an iota form follows them; else does not move. */
  private boolean iotaGoesOn() {
    int start = position;
    skipBlanks();
    boolean behindArrow = start > 0 && text.charAt(start - 1) == '=' && here() == '[';
    boolean transposed = here() == 'T' && nextToken(position + 1) == '(';
    boolean behindTranspose = start > 0 && text.charAt(start - 1) == 'T' && here() == '(';
    if (behindArrow || transposed || behindTranspose || startsWith("<=")) {
      return true;
    }
    position = start;
    return false;
  }

  private char nextToken(int at) {
    int start = position;
    position = at;
    skipBlanks();
    char next = here();
    position = start;
    return next;
  }

  /**
   * Skips the opening bracket at the current position, the matching closing one, and all between.
   */
  void skipBracketed() {
    int start = position;
    char[] closers = new char[16];
    int depth = 0;
    do {
      char c = here();
      switch (c) {
        case '"', '\'' -> skipString();
        case '(', '[', '{' -> {
          closers = depth == closers.length ? deeper(closers) : closers;
          closers[depth++] = c == '(' ? ')' : (char) (c + 2);
          position++;
        }
        case ')', ']', '}' -> {
          depth--;
          if (closers[depth] != c) {
            throw wanted("" + closers[depth]);
          }
          position++;
        }
        default -> position++;
      }
    } while (depth > 0 && position < end);
    if (depth > 0) {
      throw new ParseException(start, "got a bracket without an end, want " + closers[depth - 1]);
    }
  }

  private char[] deeper(char[] closers) {
    if (closers.length >= MAX_NESTED) {
      throw new ParseException(
          position, "got brackets nested more than " + MAX_NESTED + " deep, want fewer");
    }
    return Arrays.copyOf(closers, Math.min(MAX_NESTED, 2 * closers.length));
  }

  /** Skips a value and returns its text without trailing blanks. */
  String value() {
    int start = skipBlanks();
    skipValue();
    return text.substring(start, position).stripTrailing();
  }

  /** Skips to the beginning of the next line. */
  void skipLine() {
    position = endOfLine(position);
    while (position < end && (here() == '\n' || here() == '\r')) {
      position++;
    }
  }

  /** Throws if any text is left. */
  void expectEnd(String want) {
    if (!atEnd()) {
      throw wanted(want);
    }
  }
}
