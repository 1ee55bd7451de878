package org.hlo4j.hlo.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.base.Ascii;
import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableMap;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What a file of none of the known forms may be, recognized by its first bytes. */
public final class ForeignFile {
  /** How many of the first bytes tell. */
  public static final int SNIFFED = 512;

  private static final String UTF_16 = "text in UTF-16, not in UTF-8";
  private static final String UTF_32 = "text in UTF-32, not in UTF-8";

  private static final ImmutableMap<String, String> STARTS =
      ImmutableMap.<String, String>builder()
          .put(
              "version https://git-lfs.github.com/spec/",
              "a Git LFS pointer: git lfs pull gets the file")
          .put("<!doctype html", "an HTML page")
          .put("<html", "an HTML page")
          .put("\u0080\u0002", "a Python pickle")
          .put("\u0080\u0003", "a Python pickle")
          .put("\u0080\u0004", "a Python pickle")
          .put("\u0080\u0005", "a Python pickle")
          .put("pk\u0003\u0004", "a zip archive, such as an .npz")
          .put("\u001f\u008b", "a gzip file")
          .put("\u0089hdf", "an HDF5 file")
          .put("\u0093numpy", "a .npy array")
          .put("{ lambda ", "a jaxpr: jax.jit(f).lower(x).as_text() gives StableHLO")
          .put("\u00ff\u00fe\0\0", UTF_32)
          .put("\0\0\u00fe\u00ff", UTF_32)
          .put("\u00ff\u00fe", UTF_16)
          .put("\u00fe\u00ff", UTF_16)
          .buildOrThrow();

  /** ASCII characters with a zero byte before or behind each, without the mark of their order. */
  private static final Pattern WIDE_TEXT =
      Pattern.compile("(?:[\\n -~]\\x00){8}|(?:\\x00[\\n -~]){8}");

  /** The first plane of an XSpace: perhaps a number, then a name. */
  private static final Pattern XSPACE =
      Pattern.compile(
          "\\n[\\x80-\\xff]*.(?:\\x08[\\x80-\\xff]*.)?\\x12.(?:/host:|/device:|Task Environment)",
          Pattern.DOTALL);

  /** What text may begin with: blanks, and the mark of UTF-8, of which other forms have nothing. */
  private static final CharMatcher BLANKS = CharMatcher.anyOf(" \t\n\r\f\u000b\u00ef\u00bb\u00bf");

  /** The shortest first word of a text; fewer letters in a row occur in binary files as well. */
  private static final int SHORTEST_WORD = 4;

  private ForeignFile() {}

  /**
   * Returns what a file is.
   *
   * @param bytes its first bytes, at least {@value #SNIFFED} if it has as many
   * @return its form in words; empty if that is not known
   */
  public static Optional<String> name(byte[] bytes) {
    String start = new String(bytes, 0, Math.min(bytes.length, SNIFFED), ISO_8859_1);
    if (WIDE_TEXT.matcher(start).lookingAt()) {
      return Optional.of(UTF_16);
    }
    if (XSPACE.matcher(start).lookingAt()) {
      return Optional.of("an XSpace of a profiler (.xplane.pb)");
    }
    String lower = Ascii.toLowerCase(BLANKS.trimLeadingFrom(start));
    return STARTS.entrySet().stream()
        .filter(form -> lower.startsWith(form.getKey()))
        .map(Map.Entry::getValue)
        .findFirst();
  }

  /**
   * Returns why bytes that begin like text are no text.
   *
   * @param bytes the whole file
   * @return the first byte that text does not have; empty if they do not begin like text
   */
  public static Optional<String> whyNoText(byte[] bytes) {
    int first = 0;
    while (first < bytes.length
        && (Ascii.isLowerCase((char) bytes[first]) || Ascii.isUpperCase((char) bytes[first]))) {
      first++;
    }
    if (first < SHORTEST_WORD) {
      return Optional.empty();
    }
    CharsetDecoder decoder = UTF_8.newDecoder();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    boolean isUtf8 = !decoder.decode(in, CharBuffer.allocate(bytes.length), true).isError();
    int good = in.position();
    for (int i = 0; i < good; i++) {
      if (isControl(bytes[i])) {
        return Optional.of(
            String.format(
                Locale.ROOT, "text with the control character 0x%02x at byte %d", bytes[i], i));
      }
    }
    return isUtf8 ? Optional.empty() : Optional.of("text that is not UTF-8 at byte " + good);
  }

  private static boolean isControl(byte b) {
    return b >= 0 && b < ' ' && "\n\r\t\f\u000b".indexOf(b) < 0;
  }
}
