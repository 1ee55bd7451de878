package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Supplier;
import org.hlo4j.hlo.schema.ByteStrings;
import org.hlo4j.hlo.source.ParseException;
import org.jspecify.annotations.Nullable;

/** A scanner of MLIR text: words, names, numbers, strings and punctuation. */
class TextScanner {
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

  // Positions.

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

  /** {@return the current position, which can be named in errors and returned to} */
  public int position() {
    return skip();
  }

  /**
   * Goes back to a position.
   *
   * @param position a position in the text
   */
  public void goTo(int position) {
    at = position;
  }

  /**
   * {@return the text from a position to the current one}
   *
   * @param position a position in the text
   */
  public String textFrom(int position) {
    return text.substring(position, at);
  }

  // Punctuation.

  /** {@return the next character that is not blank, 0 at the end} */
  public char peek() {
    skip();
    return charAt(at);
  }

  /** Returns the character at a position, or 0 after the end. */
  char charAt(int position) {
    return position < end ? text.charAt(position) : 0;
  }

  /**
   * {@return whether punctuation comes next}
   *
   * @param punctuation the punctuation
   */
  public boolean looksAt(String punctuation) {
    skip();
    return at + punctuation.length() <= end && text.startsWith(punctuation, at);
  }

  /**
   * {@return whether punctuation comes next, which is then consumed}
   *
   * @param punctuation the punctuation
   */
  public boolean eat(String punctuation) {
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
      throw wrong(String.valueOf(c));
    }
  }

  /**
   * Consumes punctuation or a word, which has to come next.
   *
   * @param wanted the text
   */
  public void expect(String wanted) {
    if (!(isLetter(wanted.charAt(0)) ? eatWord(wanted) : eat(wanted))) {
      throw wrong(wanted);
    }
  }

  /**
   * Reads elements with commas between them, in brackets.
   *
   * @param brackets the bracket before them and that behind them, such as <code>[]</code>
   * @param element reads an element
   */
  public void list(String brackets, Runnable element) {
    expect(brackets.charAt(0));
    if (!eat(brackets.charAt(1))) {
      do {
        element.run();
      } while (eat(','));
      expect(brackets.charAt(1));
    }
  }

  /**
   * {@return elements with commas between them, in brackets}
   *
   * @param <T> the elements
   * @param brackets the bracket before them and that behind them, such as <code>[]</code>
   * @param element reads an element
   */
  public <T> ImmutableList<T> listOf(String brackets, Supplier<T> element) {
    ImmutableList.Builder<T> elements = ImmutableList.builder();
    list(brackets, () -> elements.add(element.get()));
    return elements.build();
  }

  // Words and names.

  /**
   * {@return whether a word comes next, as a whole}
   *
   * @param word the word
   */
  public boolean looksAtWord(String word) {
    return looksAt(word) && !isWordPart(charAt(at + word.length()));
  }

  /**
   * {@return whether a word comes next, which is then consumed}
   *
   * @param word the word
   */
  public boolean eatWord(String word) {
    if (!looksAtWord(word)) {
      return false;
    }
    at += word.length();
    return true;
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

  /** {@return a word} */
  public String word() {
    return word("a word");
  }

  /** Reads a word such as {@code stablehlo.add}. */
  String word(String want) {
    if (!looksAtWord()) {
      throw wrong(want);
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
      throw wrong("a name");
    }
    return text.substring(start, at);
  }

  /** {@return a letter or other single character} */
  public char character() {
    if (atEnd()) {
      throw wrong("more");
    }
    return charAt(at++);
  }

  /** {@return the name of a symbol, which follows an {@code @}} */
  public String symbol() {
    if (peek() != '@') {
      throw wrong("a symbol such as @f");
    }
    at++;
    char c = charAt(at);
    if (c != '"' && !isLetter(c)) {
      throw wrong("the name of a symbol");
    }
    return c == '"' ? string() : word("the name of a symbol");
  }

  // Strings.

  /** {@return a string in double quotes, without its escapes} */
  public String string() {
    if (peek() != '"') {
      throw wrong("a string");
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
    require(charAt(i) == '"', start, "got a string without an end, want \" on the same line");
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
    require(
        escape + 2 < end
            && HexFormat.isHexDigit(charAt(escape + 1))
            && HexFormat.isHexDigit(charAt(escape + 2)),
        escape,
        "got an unknown escape, want \\\\, \\\", \\n, \\t or two hexadecimal digits");
    return HexFormat.fromHexDigits(text, escape + 1, escape + 3);
  }

  // Numbers.

  void skipDigits() {
    while (isDigit(charAt(at))) {
      at++;
    }
  }

  /** {@return a signed 64-bit integer} */
  public long integer() {
    int start = skip();
    if (charAt(at) == '-') {
      at++;
    }
    int digits = at;
    skipDigits();
    if (at == digits) {
      at = start;
      throw wrong("a number");
    }
    try {
      return Long.parseLong(text, start, at, 10);
    } catch (NumberFormatException tooLarge) {
      throw wrongAt(start, "got %s, want a number of 64 bits with sign", shortened(start, at));
    }
  }

  /** Reads an integer from 0 to 2^31 - 1. */
  int count() {
    int start = skip();
    long count = integer();
    boolean fits = count >= 0 && count <= Integer.MAX_VALUE;
    require(fits, start, "got %s, want a number from 0 to 2147483647", count);
    return (int) count;
  }

  /** Returns the position after a decimal number that begins here: {@code -1}, {@code 1.5e-3}. */
  int endOfNumber() {
    int start = skip();
    at += charAt(at) == '-' ? 1 : 0;
    if (!isDigit(charAt(at))) {
      at = start;
      throw wrong("a number");
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

  /** Skips the brackets that come next, with their contents. */
  public void skipBrackets() {
    skip();
    at = endOfBrackets();
  }

  /** Returns the position after the bracket that closes the one at the current position. */
  int endOfBrackets() {
    int depth = 0;
    for (int i = at; i < end; i = text.charAt(i) == '"' ? endOfString(i) : behind(i)) {
      char c = text.charAt(i);
      if (c == '<' || c == '(' || c == '[' || c == '{') {
        depth++;
      } else if (isClosing(c, i) && --depth == 0) {
        return i + 1;
      }
    }
    throw wrongAt(at, "got a bracket without an end, want the one that closes it");
  }

  /** Returns the position after the comment or the character at a position. */
  int behind(int position) {
    boolean comment = charAt(position) == '/' && charAt(position + 1) == '/';
    return comment ? endOfLine(position) : position + 1;
  }

  /** Returns whether a character closes a bracket; the {@code >} of an arrow does not. */
  private boolean isClosing(char c, int position) {
    return c == ')' || c == ']' || c == '}' || (c == '>' && text.charAt(position - 1) != '-');
  }

  // Refusals.

  /** Refuses what stands at a position, unless a condition holds. */
  @FormatMethod
  void require(
      boolean holds, int position, @FormatString String format, @Nullable Object... arguments) {
    if (!holds) {
      throw wrongAt(position, format, arguments);
    }
  }

  /**
   * {@return an error at the current position, which names the actual and the expected text}
   *
   * @param wanted the expected text
   */
  public RuntimeException wrong(String wanted) {
    return wrongAt(skip(), "got %s, want %s", found(), wanted);
  }

  /**
   * {@return an error at a position}
   *
   * @param position a position in the text
   * @param format what is wrong, as for {@link String#format}
   * @param arguments the values named in it
   */
  @SuppressWarnings("exports") // annotations for the compiler only
  @FormatMethod
  public RuntimeException wrongAt(
      int position, @FormatString String format, @Nullable Object... arguments) {
    return new ParseException(position, String.format(Locale.ROOT, format, arguments));
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
