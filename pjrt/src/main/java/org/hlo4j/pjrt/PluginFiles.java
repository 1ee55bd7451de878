package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins are looked for by the name of their platform. The places are asked in their order;
 * the first file wins.
 */
final class PluginFiles {
  /** The platforms by what the names of files have in them; the first that occurs. */
  private static final ImmutableMap<String, String> PLATFORMS =
      ImmutableMap.of(
          "cpu", "cpu", "rocm", "rocm", "metal", "metal", "cuda", "cuda", "gpu", "cuda", "tpu",
          "tpu");

  private final Function<String, @Nullable String> environment;
  private final Path home;

  PluginFiles(Function<String, @Nullable String> environment, Path home) {
    this.environment = environment;
    this.home = home;
  }

  /** Returns the file of a plugin, which is not loaded yet. */
  Path locate(String name) {
    if (name.matches(".*/.*|.*\\.(so|dylib)")) {
      return Path.of(name);
    }
    Map<String, Optional<Path>> places = new LinkedHashMap<>();
    for (String variable : List.of("HLO4J_PJRT_PLUGINS", "PJRT_NAMES_AND_LIBRARY_PATHS")) {
      places.put(variable, listed(name, value(variable)));
    }
    folders().forEach(folder -> places.put(folder.toString(), inFolder(name, folder)));
    return places.values().stream()
        .flatMap(Optional::stream)
        .findFirst()
        .orElseThrow(() ->
            new HloException(
                    Kind.IO,
                    "plugin: got %s, which was not found, want a file, or a name that %s has"
                        .formatted(name, "HLO4J_PJRT_PLUGINS"))
                .withAll("looked in", places.keySet()));
  }

  private String value(String variable) {
    return requireNonNullElse(environment.apply(variable), "");
  }

  /** Returns the file of an entry {@code NAME:FILE}, or one in a folder that is an entry. */
  private static Optional<Path> listed(String name, String list) {
    return Splitter.on(',')
        .omitEmptyStrings()
        .splitToStream(list)
        .flatMap(entry -> {
          int colon = entry.indexOf(':');
          return colon < 0
              ? inFolder(name, Path.of(entry)).stream()
              : Stream.of(Path.of(entry.substring(colon + 1)))
                  .filter(file -> entry.substring(0, colon).equals(name));
        })
        .findFirst();
  }

  /** Returns the user's folder, and those of the Python packages that are around. */
  private List<Path> folders() {
    List<Path> all = new ArrayList<>(List.of(home.resolve(".hlo4j/pjrt")));
    Stream.of(value("VIRTUAL_ENV"), value("CONDA_PREFIX"), home + "/.local", "/usr/local")
        .filter(prefix -> !prefix.isEmpty())
        .flatMap(prefix -> entries(Path.of(prefix, "lib"), "python3*").stream())
        .flatMap(python -> entries(python, "{site,dist}-packages").stream())
        .forEach(packages -> {
          all.addAll(entries(packages.resolve("xla_plugins"), "*"));
          all.addAll(entries(packages.resolve("jax_plugins"), "*"));
          all.add(packages.resolve("libtpu"));
        });
    return all;
  }

  private static Optional<Path> inFolder(String name, Path folder) {
    return entries(folder, "*.{so,dylib}").stream()
        .filter(file -> platform(file).equals(platform(Path.of(name))))
        .findFirst();
  }

  private static List<Path> entries(Path folder, String pattern) {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, pattern)) {
      found.forEach(all::add);
    } catch (IOException notThere) {
      return List.of();
    }
    all.sort(Comparator.naturalOrder());
    return all;
  }

  /** Returns what platform a file is for by its name; the name itself if that does not say. */
  static String platform(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    return PLATFORMS.entrySet().stream()
        .filter(each -> name.contains(each.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(name);
  }
}
