package org.hlo4j.pjrt;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Where plugins are looked for by the name of their platform. The places are asked in their order;
 * the first file wins.
 */
final class PluginFiles {
  /** What the names of files have in them, by platform. */
  private static final ImmutableMap<String, String> WORDS =
      ImmutableMap.of("gpu", "gpu|cuda", "cuda", "cuda|gpu", "tpu", "tpu");

  /** Below a folder of Python packages, where their plugins lie. */
  private static final ImmutableList<String> PACKAGES =
      ImmutableList.of("xla_plugins/*", "jax_plugins/*", "libtpu");

  private final Function<String, @Nullable String> environment;
  private final Path home;

  PluginFiles(Function<String, @Nullable String> environment, Path home) {
    this.environment = environment;
    this.home = home;
  }

  /** Returns the file of a plugin, which is not loaded yet. */
  Path locate(String name) {
    if (name.contains("/") || name.endsWith(".so") || name.endsWith(".dylib")) {
      return Path.of(name);
    }
    Map<String, Optional<Path>> places = new LinkedHashMap<>();
    for (String variable : List.of("HLO4J_PJRT_PLUGINS", "PJRT_NAMES_AND_LIBRARY_PATHS")) {
      places.put(variable, listed(name, variable));
    }
    folders().forEach(folder -> places.put(folder.toString(), inFolder(name, folder)));
    return places.values().stream()
        .flatMap(Optional::stream)
        .findFirst()
        .orElseThrow(() ->
            new HloException(
                    Kind.IO,
                    "plugin: got " + name + ", which was not found, want a plugin's name or file")
                .withAll("looked in", places.keySet()));
  }

  /** Returns the file that a variable lists as {@code NAME:FILE,…}, or one in a folder it lists. */
  private Optional<Path> listed(String name, String variable) {
    String value = environment.apply(variable);
    for (String entry : Splitter.on(',').omitEmptyStrings().split(value == null ? "" : value)) {
      int colon = entry.indexOf(':');
      if (colon > 0 && entry.substring(0, colon).equals(name)) {
        return Optional.of(Path.of(entry.substring(colon + 1)));
      }
      Optional<Path> found = colon > 0 ? Optional.empty() : inFolder(name, Path.of(entry));
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** Returns the user's folder, and those of the Python packages that are around. */
  private List<Path> folders() {
    List<Path> all = new ArrayList<>(List.of(home.resolve(".hlo4j/pjrt")));
    for (String variable : List.of("VIRTUAL_ENV", "CONDA_PREFIX")) {
      String prefix = environment.apply(variable);
      if (prefix != null) {
        all.addAll(packages(Path.of(prefix)));
      }
    }
    all.addAll(packages(home.resolve(".local")));
    all.addAll(packages(Path.of("/usr/local")));
    return all;
  }

  private static List<Path> packages(Path prefix) {
    List<Path> all = new ArrayList<>();
    for (Path python : entries(prefix.resolve("lib"), "python3*")) {
      for (String folder : List.of("site-packages", "dist-packages")) {
        PACKAGES.forEach(each -> all.addAll(below(python.resolve(folder), each)));
      }
    }
    return all;
  }

  private static List<Path> below(Path folder, String pattern) {
    return pattern.endsWith("/*")
        ? entries(folder.resolve(pattern.substring(0, pattern.length() - 2)), "*")
        : List.of(folder.resolve(pattern));
  }

  private static Optional<Path> inFolder(String name, Path folder) {
    return entries(folder, "*.{so,dylib}").stream()
        .filter(file -> platform(file).equals(platform(name)))
        .findFirst();
  }

  private static List<Path> entries(Path folder, String pattern) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, pattern)) {
      List<Path> all = new ArrayList<>();
      found.forEach(all::add);
      return all.stream().sorted().toList();
    } catch (IOException unreadable) {
      return List.of();
    }
  }

  /** Returns what platform a file is for by its name; the name itself if that does not say. */
  static String platform(Path file) {
    return platform(file.getFileName().toString());
  }

  private static String platform(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (String each : List.of("cpu", "rocm", "metal")) {
      if (lower.contains(each)) {
        return each;
      }
    }
    return WORDS.entrySet().stream()
        .filter(each -> lower.matches(".*(" + each.getValue() + ").*"))
        .map(each -> each.getKey().equals("gpu") ? "cuda" : each.getKey())
        .findFirst()
        .orElse(lower);
  }
}
