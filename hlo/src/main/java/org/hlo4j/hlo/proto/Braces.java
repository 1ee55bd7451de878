package org.hlo4j.hlo.proto;

import java.util.List;
import org.hlo4j.hlo.Dims;

/** Lists in braces. */
final class Braces {
  private Braces() {}

  /** In braces, unless there is nothing. */
  static String unlessEmpty(String inside) {
    return inside.isEmpty() ? "" : "{" + inside + "}";
  }

  /** The parts of a list, the braces around it being there or not. */
  static List<String> list(String text) {
    String stripped = text.strip();
    boolean braced = stripped.startsWith("{") && stripped.endsWith("}");
    return TextParts.split(braced ? stripped.substring(1, stripped.length() - 1) : stripped, ',');
  }

  /**
   * The numbers of a list.
   *
   * @throws NumberFormatException if one is none
   */
  static Dims numbers(String text) {
    return Dims.copyOf(list(text).stream().map(Long::parseLong).toList());
  }

  /** Whether the first brace is closed by the last character, and none but by its own. */
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
