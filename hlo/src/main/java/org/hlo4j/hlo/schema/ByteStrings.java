package org.hlo4j.hlo.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;

/**
 * Strings that hold any bytes: UTF-8, in which a byte that belongs to no character is a lone low
 * surrogate, U+DC80 to U+DCFF. Backend configurations are often binary data.
 */
public final class ByteStrings {
  private static final int FIRST = 0xdc80;
  private static final int LAST = 0xdcff;

  private ByteStrings() {}

  /**
   * Returns bytes as a string.
   *
   * @param bytes any bytes
   * @return the string, from which {@link #encoded} makes the same bytes
   */
  public static String decoded(byte[] bytes) {
    CharsetDecoder decoder = UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = decoder.decode(in, out, true);
    while (result.isMalformed()) {
      for (int i = 0; i < result.length(); i++) {
        out.put((char) (FIRST - 0x80 + (in.get() & 0xff)));
      }
      result = decoder.decode(in, out, true);
    }
    return out.flip().toString();
  }

  /**
   * Returns the bytes of a string.
   *
   * @param text a string, such as {@link #decoded} gives
   * @return its bytes
   */
  public static byte[] encoded(String text) {
    int lone = nextLone(text, 0);
    if (lone == text.length()) {
      return text.getBytes(UTF_8);
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = 0;
    while (lone < text.length()) {
      bytes.writeBytes(text.substring(at, lone).getBytes(UTF_8));
      bytes.write(text.charAt(lone));
      at = lone + 1;
      lone = nextLone(text, at);
    }
    bytes.writeBytes(text.substring(at).getBytes(UTF_8));
    return bytes.toByteArray();
  }

  /** Returns the position of the next byte that is no character, or the length. */
  private static int nextLone(String text, int from) {
    int at = from;
    while (at < text.length()) {
      int point = text.codePointAt(at);
      if (point >= FIRST && point <= LAST) {
        return at;
      }
      at += Character.charCount(point);
    }
    return at;
  }
}
