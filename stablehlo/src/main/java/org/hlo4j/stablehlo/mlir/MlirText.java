package org.hlo4j.stablehlo.mlir;

import java.util.Locale;
import org.hlo4j.hlo.schema.ByteStrings;

/** The notation of strings and names in MLIR text. */
public final class MlirText {
  private MlirText() {}

  /**
   * Quotes a string. Bytes that are not printable ASCII are written as {@code \\XX}, as in MLIR.
   *
   * @param value the string
   * @return the quoted form
   */
  public static String quoted(String value) {
    StringBuilder text = new StringBuilder(value.length() + 2).append('"');
    for (byte b : ByteStrings.encoded(value)) {
      if (b == '\\') {
        text.append("\\\\");
      } else if (b >= ' ' && b < 0x7f && b != '"') {
        text.append((char) b);
      } else {
        text.append(String.format(Locale.ROOT, "\\%02X", b & 0xff));
      }
    }
    return text.append('"').toString();
  }

  /**
   * {@return a name as a bare word, or quoted if it is not one}
   *
   * @param name the name
   */
  public static String bareOrQuoted(String name) {
    return isBare(name) ? name : quoted(name);
  }

  private static boolean isBare(String name) {
    if (name.isEmpty() || !(isLetter(name.charAt(0)) || name.charAt(0) == '_')) {
      return false;
    }
    return name.chars()
        .allMatch(c -> isLetter(c) || (c >= '0' && c <= '9') || "_$.".indexOf(c) >= 0);
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }
}
