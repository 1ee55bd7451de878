package org.hlo4j.hlo.text;

/** Strings in quotes, with C's escapes. */
final class Escapes {
  private Escapes() {}

  /** The string in quotes. */
  static String quoted(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '"', '\\' -> quoted.append('\\').append(c);
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default -> quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  /** What stands between the quotes, each escape replaced by what it means. */
  static String unescaped(String body) {
    if (body.indexOf('\\') < 0) {
      return body;
    }
    StringBuilder value = new StringBuilder();
    int i = 0;
    while (i < body.length()) {
      char c = body.charAt(i++);
      if (c != '\\' || i == body.length()) {
        value.append(c);
        continue;
      }
      char escape = body.charAt(i++);
      int radix = escape == 'x' ? 16 : 8;
      int from = escape == 'x' ? i : i - 1;
      int to = endOfDigits(body, from, radix);
      if (to > from) {
        value.append((char) (Integer.parseInt(body, from, to, radix) & 0xff));
        i = to;
      } else {
        value.append(meaning(escape));
      }
    }
    return value.toString();
  }

  /** Two hexadecimal digits or three octal ones at most. */
  private static int endOfDigits(String body, int from, int radix) {
    int most = Math.min(body.length(), from + (radix == 16 ? 2 : 3));
    int to = from;
    while (to < most && body.charAt(to) < 0x80 && Character.digit(body.charAt(to), radix) >= 0) {
      to++;
    }
    return to;
  }

  private static char meaning(char escape) {
    return switch (escape) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'a' -> '\u0007';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'v' -> '\u000b';
      default -> escape;
    };
  }
}
