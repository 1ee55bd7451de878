package org.hlo4j.stablehlo.vhlo;

import com.google.common.collect.ImmutableList;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Artifacts for tests: resources written by jaxlib, and shared files outside the repository. */
final class Artifacts {
  /** The versions that changed the container or an operation; each has an artifact. */
  static final ImmutableList<String> VERSIONS =
      ImmutableList.of(
          "0.9.0", "0.11.0", "0.12.0", "0.14.0", "0.15.0", "0.19.0", "0.20.0", "1.0.0", "1.1.0",
          "1.5.0", "1.6.0", "1.9.0", "1.10.0", "1.12.0", "1.14.0", "1.17.0");

  private static final Path SHARED = Path.of("..", "..", "shared");

  private Artifacts() {}

  static byte[] ofVersion(String version) {
    return resource("ops_" + version + ".mlirbc");
  }

  static byte[] resource(String name) {
    try {
      return Resources.toByteArray(Resources.getResource(Artifacts.class, name));
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The artifacts of programs and exports; empty if they are not installed. */
  static ImmutableList<Path> shared() {
    ImmutableList.Builder<Path> files = ImmutableList.builder();
    for (String folder : ImmutableList.of("exports/*/module.mlirbc", "programs/*/program.mlirbc")) {
      String[] parts = folder.split("/", -1);
      try (Stream<Path> cases = Files.list(SHARED.resolve(parts[0]))) {
        cases
            .sorted()
            .map(each -> each.resolve(parts[2]))
            .filter(Files::exists)
            .forEach(files::add);
      } catch (IOException absent) {
        // The files are not installed.
      }
    }
    return files.build();
  }
}
