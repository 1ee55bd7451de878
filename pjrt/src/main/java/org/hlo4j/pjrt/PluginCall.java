package org.hlo4j.pjrt;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.pjrt.binding.BufferTypes;

/**
 * A row of {@code checks.tsv}: a call of a plugin and what must hold.
 *
 * @param name the name of the check
 * @param function the function that is called
 * @param object of what it is called; {@code code} if a method does the check, {@code types} if it
 *     does it for each element type
 * @param fields the fields that must be filled in, or the name of the method
 * @param want what must hold of them
 */
record PluginCall(String name, String function, String object, String fields, String want) {
  static final String CODE = "code";
  static final String TYPES = "types";

  /** All rows, that of types for each type. */
  static final ImmutableList<PluginCall> ALL = read();

  private static ImmutableList<PluginCall> read() {
    try (InputStream in = PluginCall.class.getResourceAsStream("checks.tsv")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> Splitter.on('\t').splitToList(line))
          .flatMap(PluginCall::rows)
          .collect(ImmutableList.toImmutableList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<PluginCall> rows(List<String> cells) {
    PluginCall row =
        new PluginCall(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
    return row.object.equals(TYPES) ? BufferTypes.all().stream().map(row::ofType) : Stream.of(row);
  }

  private PluginCall ofType(ElementType type) {
    return new PluginCall(
        name + " " + Ascii.toLowerCase(type.name()), function, object, fields, want);
  }

  /** Returns the element type in the name of a row of types. */
  ElementType type() {
    return ElementType.valueOf(Ascii.toUpperCase(name.substring(name.lastIndexOf(' ') + 1)));
  }

  /** Returns whether nothing else can be checked if this does not hold. */
  boolean isNeeded() {
    return name.equals("load") || name.equals("client");
  }

  /** Returns the question that {@link CheckedPlugin} answers. */
  String question() {
    return "check " + name;
  }
}
