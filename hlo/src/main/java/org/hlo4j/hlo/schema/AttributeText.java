package org.hlo4j.hlo.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.stream.Collectors;
import org.hlo4j.hlo.HloException;

/** The text of attribute values of instructions: quoted strings and frontend attributes. */
public final class AttributeText {
  private static final CharMatcher BLANKS = CharMatcher.whitespace();
  private static final CharMatcher NAME_START =
      CharMatcher.inRange('a', 'z').or(CharMatcher.inRange('A', 'Z')).or(CharMatcher.is('_'));
  private static final CharMatcher NAME =
      NAME_START.or(CharMatcher.inRange('0', '9')).or(CharMatcher.anyOf(".-"));

  private AttributeText() {}

  /**
   * Returns a string in quotes, with C escapes; other characters than ASCII are escaped byte by
   * byte.
   *
   * @param value the string
   * @return the text
   */
  public static String quoted(String value) {
    StringBuilder quoted = new StringBuilder("\"");
    for (byte b : ByteStrings.encoded(value)) {
      switch (b) {
        case '"', '\\', '\'' -> quoted.append('\\').append((char) b);
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (b >= ' ' && b < 0x7f) {
            quoted.append((char) b);
          } else {
            quoted.append('\\').append((char) ('0' + (b >> 6 & 3)));
            quoted.append((char) ('0' + (b >> 3 & 7))).append((char) ('0' + (b & 7)));
          }
        }
      }
    }
    return quoted.append('"').toString();
  }

  /**
   * Writes the value of {@code frontend_attributes}: {@code {a="x",b={1,2}}}, in order of the
   * names. A name that HLO text cannot hold, which protocol buffers may have, is in quotes; {@link
   * #requireFrontendNames} finds it.
   *
   * @param attributes name to value; a value in braces is written as it is, others in quotes
   * @return the text
   */
  public static String frontendAttributes(Map<String, String> attributes) {
    return ImmutableSortedMap.copyOf(attributes).entrySet().stream()
        .map(entry -> frontendName(entry.getKey()) + "=" + frontendValue(entry.getValue()))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String frontendName(String name) {
    return isPlain(name) ? name : quoted(name);
  }

  private static boolean isPlain(String name) {
    return !name.isEmpty() && NAME_START.matches(name.charAt(0)) && NAME.matchesAllOf(name);
  }

  /**
   * Refuses frontend attributes whose names HLO text cannot hold: neither XLA nor hlo4j would read
   * them again.
   *
   * @param text as {@link #frontendAttributes(Map)} writes it
   * @throws org.hlo4j.hlo.HloException if a name is not one of HLO text
   */
  public static void requireFrontendNames(String text) {
    if (text.contains("\"=")) { // else no name is in quotes
      parseFrontendAttributes(text)
          .keySet()
          .forEach(name ->
              require(
                  isPlain(name),
                  HloException.Kind.UNSUPPORTED,
                  "frontend_attributes: HLO text cannot hold the name %s, want letters, digits,"
                      + " '_', '.' and '-', a letter or '_' first",
                  quoted(name)));
    }
  }

  private static String frontendValue(String value) {
    boolean isApostrophe = value.indexOf('\'') >= 0; // in which XLA counts braces
    boolean dictionary =
        value.startsWith("{") && !isApostrophe && endOfValue(value, 0) == value.length();
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
    int close = stripped.length() - 1;
    int at = BLANKS.negate().indexIn(stripped, 1);
    while (at < close) {
      int name = stripped.charAt(at) == '"' ? endOfValue(stripped, at) : at;
      int equals = name < 0 ? -1 : stripped.indexOf('=', name);
      int start = equals < 0 ? -1 : BLANKS.negate().indexIn(stripped, equals + 1);
      int end = start < 0 ? -1 : endOfValue(stripped, start);
      int next = end < 0 ? -1 : BLANKS.negate().indexIn(stripped, end);
      require(
          next > 0 && (stripped.charAt(next) == ',' || next == close),
          "",
          "frontend_attributes got %s, want {name=\"value\",...}",
          text);
      String key = stripped.substring(at, equals).strip();
      attributes.put(
          key.startsWith("\"") ? unquoted(key, 0, key.length()) : key,
          unquoted(stripped, start, end));
      at = next == close ? close : BLANKS.negate().indexIn(stripped, next + 1);
    }
    return attributes.buildKeepingLast();
  }

  /** Returns the end of a quoted string or a value in braces; -1 if it is not closed. */
  private static int endOfValue(String text, int start) {
    int depth = 0;
    char quote = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        i += c == '\\' ? 1 : 0;
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '{' || c == '}') {
        depth += c == '{' ? 1 : -1;
      }
      if (depth <= 0 && quote == 0) {
        return i > start && i < text.length() ? i + 1 : -1;
      }
    }
    return -1;
  }

  private static String unquoted(String text, int start, int end) {
    return text.charAt(start) == '{'
        ? text.substring(start, end)
        : unescaped(text.substring(start + 1, end - 1));
  }

  /**
   * Resolves the escapes of a quoted string.
   *
   * @param body the text between the quotes
   * @return the string, with each C escape resolved, and the bytes decoded as {@link ByteStrings}
   *     does
   */
  public static String unescaped(String body) {
    return body.indexOf('\\') < 0 ? body : ByteStrings.decoded(unescapedBytes(body));
  }

  /**
   * Returns the bytes of a quoted string, which may be text in any encoding, or binary data.
   *
   * @param body the text between the quotes
   * @return the bytes; characters that are not escaped are encoded in UTF-8
   */
  public static byte[] unescapedBytes(String body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = 0;
    while (at < body.length()) {
      int escape = body.indexOf('\\', at);
      int end = escape < 0 ? body.length() : escape;
      bytes.writeBytes(ByteStrings.encoded(body.substring(at, end)));
      at = end < body.length() ? unescape(body, end, bytes) : end;
    }
    return bytes.toByteArray();
  }

  /** Writes the bytes of an escape, and returns the position after it. */
  private static int unescape(String body, int backslash, ByteArrayOutputStream bytes) {
    int at = backslash + 1;
    if (at == body.length()) {
      bytes.write('\\');
      return at;
    }
    int radix = body.charAt(at) == 'x' ? 16 : 8;
    int from = radix == 16 ? at + 1 : at;
    int to = endOfDigits(body, from, radix);
    if (to > from) {
      bytes.write(Integer.parseInt(body, from, to, radix));
      return to;
    }
    int end = body.offsetByCodePoints(at, 1);
    bytes.writeBytes(
        end == at + 1
            ? String.valueOf(meaning(body.charAt(at))).getBytes(UTF_8)
            : ByteStrings.encoded(body.substring(at, end)));
    return end;
  }

  /** Returns the end of the digits of an escape: at most two hexadecimal or three octal digits. */
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
