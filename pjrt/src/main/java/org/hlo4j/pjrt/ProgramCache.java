package org.hlo4j.pjrt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.pjrt.form.ProgramForm;

/**
 * Compiled programs in a folder, as long as the plugin takes them back. A file is named by the hash
 * of all that a compiled program depends on: the plugin's file, the options, the program and the
 * processor. What the plugin says of its own version is a constant, and does not tell plugins
 * apart.
 */
record ProgramCache(Path folder, HashCode machine) {
  /** The lines of Linux that tell processors apart. */
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");

  static ProgramCache of(Path folder, PjrtPlugin plugin, PjrtOptions options) {
    try {
      Hasher hasher = Hashing.sha256().newHasher();
      hasher.putString(plugin.apiVersion() + options.values(), UTF_8);
      hasher.putBytes(
          com.google.common.io.Files.asByteSource(plugin.path().toFile())
              .hash(Hashing.sha256())
              .asBytes());
      if (Files.exists(PROCESSOR)) {
        Files.readAllLines(PROCESSOR).stream()
            .filter(line -> line.matches("(model name|flags|Features|CPU part).*"))
            .distinct()
            .forEach(line -> hasher.putString(line, UTF_8));
      }
      return new ProgramCache(Files.createDirectories(folder), hasher.hash());
    } catch (IOException e) {
      throw new HloException(Kind.IO, "cache: " + folder + " cannot be used: " + e.getMessage());
    }
  }

  /** Returns the executable of a program: a refusal of what was kept is a miss. */
  PjrtExecutable get(
      PjrtClient client,
      ProgramForm form,
      PjrtCompileOptions options,
      Supplier<PjrtExecutable> compile) {
    HashCode hash =
        Hashing.sha256()
            .newHasher()
            .putBytes(machine.asBytes())
            .putString(client.platformVersion() + form.format(), UTF_8)
            .putBytes(options.toProto())
            .putBytes(form.code())
            .hash();
    Path file = folder.resolve(hash + ".pjrt");
    Supplier<HloModule> given = () -> options.ofDevice(form);
    return kept(client, file, form + ", of the cache", given)
        .orElseGet(() -> keep(file, compile.get()));
  }

  private static Optional<PjrtExecutable> kept(
      PjrtClient client, Path file, String form, Supplier<HloModule> given) {
    try {
      return Optional.of(client.loaded(Files.readAllBytes(file), form, given));
    } catch (IOException | PjrtException refused) {
      return Optional.empty();
    }
  }

  private PjrtExecutable keep(Path file, PjrtExecutable compiled) {
    try {
      Path part = Files.createTempFile(folder, "program", ".part");
      Files.write(part, compiled.serialize());
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException | PjrtException notKept) {
      // It is compiled again the next time.
    }
    return compiled;
  }
}
