package org.hlo4j.tools;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.file.FileForm;
import org.hlo4j.hlo.file.HloFiles;
import org.hlo4j.hlo.ir.HloModule;

/** Files that hold a program, recognised by content. */
final class ModuleFiles {
  private static final int SNIFFED = 1 << 16;

  private ModuleFiles() {}

  /**
   * A program and the text it was read from.
   *
   * @param name the file, as it was given
   * @param module the program, not verified
   * @param text the text of the whole file; empty if the file is binary
   */
  record Loaded(String name, HloModule module, Optional<String> text) {}

  /**
   * Reads the programs of a file, or of the standard input if it is {@code -}: one, or as many as
   * its text holds.
   */
  static ImmutableList<Loaded> loadAll(String name) throws IOException {
    byte[] bytes = StandardInput.isMeantBy(name) ? StandardInput.read(name) : bytes(Path.of(name));
    try {
      return loadAll(name, bytes);
    } catch (HloException refusal) {
      throw refusal.prefixed(name + (refusal.position().isPresent() ? ":" : ": "));
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
    try {
      return HloFiles.readAll(file);
    } catch (HloException tooLarge) {
      throw tooLarge.prefixed(file + ": ");
    }
  }

  private static ImmutableList<Loaded> loadAll(String name, byte[] bytes) {
    Optional<String> text =
        FileForm.of(bytes) == FileForm.HLO_TEXT
            ? Optional.of(new String(bytes, UTF_8))
            : Optional.empty();
    return HloFiles.readModules(bytes).stream()
        .map(module -> new Loaded(name, module, text))
        .collect(toImmutableList());
  }
}
