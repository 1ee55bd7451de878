package org.hlo4j.hlo.ir;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How the values of {@link HloInstruction#attributes} are written. */
public final class AttributeText {
  private AttributeText() {}

  /**
   * A string in quotes, with escapes.
   *
   * @param value the string
   * @return the text
   */
  public static String quoted(String value) {
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

  /**
   * The value of {@code frontend_attributes}: {@code {a="x",b={1,2}}}, in order of the names.
   *
   * @param attributes name to value; a value in braces is written as it is, others in quotes
   * @return the text
   */
  public static String frontendAttributes(Map<String, String> attributes) {
    return ImmutableSortedMap.copyOf(attributes).entrySet().stream()
        .map(entry -> entry.getKey() + "=" + frontendValue(entry.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String frontendValue(String value) {
    boolean dictionary = value.startsWith("{") && endOfValue(value, 0) == value.length();
    return dictionary ? value : quoted(value);
  }

  /**
   * Reads the value of {@code frontend_attributes}.
   *
   * @param text as {@link #frontendAttributes(Map)} writes it
   * @return name to value, without quotes
   * @throws org.hlo4j.hlo.HloException if it is written otherwise
   */
  public static ImmutableMap<String, String> parseFrontendAttributes(String text) {
    String stripped = text.strip();
    require(
        stripped.startsWith("{") && stripped.endsWith("}") && stripped.length() >= 2,
        "",
        "frontend_attributes got %s, want {name=\"value\",...}",
        text);
    ImmutableMap.Builder<String, String> attributes = ImmutableMap.builder();
    int at = 1;
    while (at < stripped.length() - 1) {
      int equals = stripped.indexOf('=', at);
      int end = equals < 0 ? -1 : endOfValue(stripped, equals + 1);
      require(end > 0, "", "frontend_attributes got %s, want {name=\"value\",...}", text);
      attributes.put(
          stripped.substring(at, equals).strip(), unquoted(stripped.substring(equals + 1, end)));
      at = end + (stripped.charAt(end) == ',' ? 1 : 0);
    }
    return attributes.buildKeepingLast();
  }

  /** Where a quoted string or a value in braces ends that begins here; -1 if it does not. */
  private static int endOfValue(String text, int start) {
    int depth = 0;
    boolean inQuotes = false;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (inQuotes && c == '\\') {
        i++;
      } else if (c == '"') {
        inQuotes = !inQuotes;
      } else if (!inQuotes && (c == '{' || c == '}')) {
        depth += c == '{' ? 1 : -1;
      }
      if (depth <= 0 && !inQuotes) {
        return c == '"' || c == '}' ? i + 1 : -1;
      }
    }
    return -1;
  }

  private static String unquoted(String text) {
    return text.startsWith("\"") ? unescaped(text.substring(1, text.length() - 1)) : text;
  }

  /**
   * What a string in quotes means.
   *
   * @param body what stands between the quotes
   * @return the string, each of C's escapes replaced by what it means
   */
  public static String unescaped(String body) {
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
