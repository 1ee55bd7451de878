package org.hlo4j.tools;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/** Files that hold a program, recognised by content. */
final class ModuleFiles {
  /** The label of refusals of formats that are known but not read. */
  static final String UNSUPPORTED = "unsupported";

  private static final int SNIFFED = 1 << 16;

  private static final Pattern STABLEHLO =
      Pattern.compile("^\\s*(module\\b|#\\w+\\s*=|func\\.func\\b)|\\b(stablehlo|mhlo|chlo)\\.\\w");

  private ModuleFiles() {}

  /**
   * A program and the text it was read from.
   *
   * @param name the file, as it was given
   * @param module the program, not verified
   * @param text the text; empty if the file is binary
   */
  record Loaded(String name, HloModule module, Optional<String> text) {}

  /** Reads a file, or the standard input if it is {@code -}. */
  static Loaded load(String name) throws IOException {
    byte[] bytes = name.equals("-") ? System.in.readAllBytes() : bytes(Path.of(name));
    try {
      return load(name, bytes);
    } catch (HloException refusal) {
      boolean placed = Pattern.matches("\\d+:\\d+: (?s).*", refusal.summary());
      throw refusal.prefixed(name + (placed ? ":" : ": "));
    }
  }

  /** Whether a file begins like HLO text. */
  static boolean holdsModule(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(SNIFFED), ISO_8859_1).contains("HloModule ");
    } catch (IOException unreadable) {
      return true; // and be told why
    }
  }

  private static byte[] bytes(Path file) throws IOException {
    require(!Files.isDirectory(file), "", "%s: is a directory, want a file", file);
    return Files.readAllBytes(file);
  }

  private static Loaded load(String name, byte[] bytes) {
    require(bytes.length > 0, "", "got nothing, want HLO");
    require(!isMlirBytecode(bytes), UNSUPPORTED, "StableHLO bytecode is not read yet, want HLO");
    Optional<String> text = text(bytes);
    require(text.isPresent(), UNSUPPORTED, "neither HLO text nor a format that is read");
    require(
        !isStablehlo(text.get()), UNSUPPORTED, "StableHLO is not read yet, want HLO");
    return new Loaded(name, Parser.parse(text.get()), text);
  }

  private static boolean isMlirBytecode(byte[] bytes) {
    return bytes.length > 4
        && bytes[0] == 'M'
        && bytes[1] == 'L'
        && (bytes[2] & 0xff) == 0xef
        && bytes[3] == 'R';
  }

  private static boolean isStablehlo(String text) {
    return !text.contains("HloModule") && STABLEHLO.matcher(text).find();
  }

  /** The bytes as text, unless they are something else. */
  private static Optional<String> text(byte[] bytes) {
    try {
      String text = UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.indexOf('\0') >= 0 ? Optional.empty() : Optional.of(text);
    } catch (CharacterCodingException binary) {
      return Optional.empty();
    }
  }
}
