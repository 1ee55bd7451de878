package org.hlo4j.hlo.proto;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.schema.ByteStrings;

/** Splits lists of HLO text, and reads and writes its quoted strings with C escapes. */
final class TextParts {
  private TextParts() {}

  /** Splits a list at each separator that is outside of brackets and quotes. */
  static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && "{[(".indexOf(c) >= 0) {
        depth++;
      } else if (!quoted && "}])".indexOf(c) >= 0) {
        depth--;
      } else if (!quoted && depth == 0 && c == separator) {
        parts.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    if (!text.substring(start).isBlank()) {
      parts.add(text.substring(start).strip());
    }
    return parts;
  }

  /** Returns the end of the string at the beginning of a text; -1 if there is none. */
  static int endOfString(String text) {
    boolean quoted = text.startsWith("\"") || text.startsWith("'");
    for (int i = 1; quoted && i < text.length(); i++) {
      if (text.charAt(i) == '\\') {
        i++;
      } else if (text.charAt(i) == text.charAt(0)) {
        return i + 1;
      }
    }
    return -1;
  }

  /** Returns the position of the closing bracket; the end of the text if there is none. */
  static int endOfBrackets(String text, int open) {
    int depth = 0;
    for (int i = open; i < text.length(); i++) {
      depth += text.charAt(i) == '(' ? 1 : text.charAt(i) == ')' ? -1 : 0;
      if (depth == 0) {
        return i;
      }
    }
    return text.length();
  }

  /**
   * Returns the bytes of a value: the text between its quotes, or the whole value if it has none.
   */
  static byte[] bytes(String value) {
    boolean quoted = value.length() >= 2 && (value.startsWith("\"") || value.startsWith("'"));
    if (!quoted) {
      return ByteStrings.encoded(value);
    }
    return AttributeText.unescapedBytes(value.substring(1, value.length() - 1));
  }

  /** Returns bytes in quotes, escaped as XLA does. */
  static String quoted(byte[] bytes) {
    StringBuilder text = new StringBuilder("\"");
    for (byte b : bytes) {
      switch (b) {
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        case '"', '\'', '\\' -> text.append('\\').append((char) b);
        default -> appendPlain(text, b);
      }
    }
    return text.append('"').toString();
  }

  private static void appendPlain(StringBuilder text, byte b) {
    if (b >= 0x20 && b < 0x7f) {
      text.append((char) b);
    } else {
      text.append('\\').append(String.format("%03o", b & 0xff));
    }
  }
}
