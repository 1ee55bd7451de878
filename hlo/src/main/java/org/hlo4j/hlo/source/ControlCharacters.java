package org.hlo4j.hlo.source;

import java.util.Locale;

/** The escaping of characters that a terminal obeys instead of showing them. */
public final class ControlCharacters {
  private ControlCharacters() {}

  /**
   * Returns a text in which control characters, and characters that reverse the direction of text,
   * are written {@code \x1b} or <code>&#92;u202e</code>. Line breaks and tabs are kept.
   *
   * @param text any text, such as a name from a file
   * @return the text itself if it has no such characters
   */
  public static String escape(String text) {
    if (text.chars().noneMatch(c -> isHidden((char) c))) {
      return text;
    }
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean endsLine = c == '\r' && i + 1 < text.length() && text.charAt(i + 1) == '\n';
      if (!isHidden(c) || endsLine) {
        shown.append(c);
      } else {
        shown.append(String.format(Locale.ROOT, c < 0x100 ? "\\x%02x" : "\\u%04x", (int) c));
      }
    }
    return shown.toString();
  }

  private static boolean isHidden(char c) {
    return (Character.isISOControl(c) && c != '\n' && c != '\t')
        || Character.getType(c) == Character.FORMAT
        || c == '\u2028'
        || c == '\u2029';
  }
}
