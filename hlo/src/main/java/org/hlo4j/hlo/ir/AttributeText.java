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
    if (!text.startsWith("\"")) {
      return text;
    }
    StringBuilder value = new StringBuilder();
    for (int i = 1; i < text.length() - 1; i++) {
      char c = text.charAt(i);
      if (c != '\\') {
        value.append(c);
      } else {
        i++;
        value.append(unescaped(text.charAt(i)));
      }
    }
    return value.toString();
  }

  private static char unescaped(char c) {
    return switch (c) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> c;
    };
  }
}
