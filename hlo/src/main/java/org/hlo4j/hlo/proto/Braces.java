package org.hlo4j.hlo.proto;

import java.util.List;
import org.hlo4j.hlo.Dims;

/** The text of lists in braces. */
final class Braces {
  private Braces() {}

  /** Returns a text in braces; returns the empty text unchanged. */
  static String unlessEmpty(String inside) {
    return inside.isEmpty() ? "" : "{" + inside + "}";
  }

  /** Returns the elements of a list, which may or may not be in braces. */
  static List<String> list(String text) {
    String stripped = text.strip();
    boolean braced = stripped.startsWith("{") && stripped.endsWith("}");
    return TextParts.split(braced ? stripped.substring(1, stripped.length() - 1) : stripped, ',');
  }

  /**
   * Returns the numbers of a list.
   *
   * @throws NumberFormatException if an element is not a number
   */
  static Dims numbers(String text) {
    return Dims.copyOf(list(text).stream().map(Long::parseLong).toList());
  }

  /**
   * Returns whether the last character closes the first brace, and all braces in between are
   * balanced.
   */
  static boolean isOne(String text) {
    int depth = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == '{' || c == '}')) {
        depth += c == '{' ? 1 : -1;
        if (depth <= 0) {
          return depth == 0 && i == text.length() - 1;
        }
      }
    }
    return false;
  }
}
