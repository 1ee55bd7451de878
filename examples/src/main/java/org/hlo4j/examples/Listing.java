package org.hlo4j.examples;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.IntStream;

/** Excerpts of an example's source, for the tour. The build copies the source next to the class. */
final class Listing {
  private final List<String> lines;

  private Listing(List<String> lines) {
    this.lines = lines;
  }

  static Listing of(Class<?> example) {
    String file = "sources/" + example.getSimpleName() + ".java";
    try (InputStream in = Listing.class.getResourceAsStream(file)) {
      byte[] bytes = Objects.requireNonNull(in, file).readAllBytes();
      return new Listing(new String(bytes, StandardCharsets.UTF_8).lines().toList());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** Returns the Javadoc of the class as plain text. */
  String summary() {
    return lines.subList(first("/**"), first("public final class")).stream()
        .map(line -> line.replaceFirst("^ ?(/\\*\\*|\\*/|\\*)", "").replace("*/", "").strip())
        .filter(line -> !line.isEmpty())
        .collect(joining("\n", "", "\n"));
  }

  /** Returns the methods before main, which build the program. */
  String program() {
    return numbered(firstMethod(), first("  static void main() {") - 1);
  }

  /** Returns all methods and main, which also verifies, prints and runs the program. */
  String all() {
    return numbered(firstMethod(), lines.size() - 1);
  }

  private int firstMethod() {
    return (int) lines.stream().takeWhile(line -> !line.endsWith("() {}")).count() + 2;
  }

  private int first(String start) {
    return (int) lines.stream().takeWhile(line -> !line.startsWith(start)).count();
  }

  private String numbered(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> String.format(Locale.ROOT, "%4d  %s", i + 1, lines.get(i)).stripTrailing())
        .collect(joining("\n", "", "\n"));
  }
}
