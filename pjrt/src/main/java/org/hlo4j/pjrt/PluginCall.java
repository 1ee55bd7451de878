package org.hlo4j.pjrt;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ascii;
import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.pjrt.binding.BufferTypes;
import org.hlo4j.pjrt.binding.Table;

/**
 * A row of {@code checks.tsv}: a call of a plugin and what must hold.
 *
 * @param name the name of the check
 * @param function the function that is called
 * @param object of what it is called; {@code steps} if more than that is done, {@code types} if it
 *     is done for each element type
 * @param fields the fields that must be filled in, or the steps
 * @param want what must hold of them
 */
record PluginCall(String name, String function, String object, String fields, String want) {
  private static final ImmutableList<String> LINES = Table.lines(PluginCall.class, "checks.tsv");

  /** All rows, that of types for each type. */
  static final ImmutableList<PluginCall> ALL =
      LINES.stream()
          .filter(line -> !line.startsWith("="))
          .map(line -> Splitter.on('\t').splitToList(line))
          .flatMap(PluginCall::rows)
          .collect(ImmutableList.toImmutableList());

  /** The programs, and the arrays, by their names. */
  private static final ImmutableMap<String, Object> NAMED =
      LINES.stream()
          .filter(line -> line.startsWith("="))
          .map(line -> line.substring(1).split("\t", 2))
          .collect(ImmutableMap.toImmutableMap(cells -> cells[0], cells -> value(cells[1])));

  private static Object value(String text) {
    return text.matches("\\w+\\[[0-9,]*] .*") ? Parser.parseLiteral(text) : text;
  }

  /** Returns a program as a String, or a Literal. */
  static Object named(String name) {
    return requireNonNull(NAMED.get(name), name);
  }

  private static Stream<PluginCall> rows(List<String> cells) {
    PluginCall row =
        new PluginCall(cells.get(0), cells.get(1), cells.get(2), cells.get(3), cells.get(4));
    return row.object.equals("types")
        ? BufferTypes.all().stream().map(row::ofType)
        : Stream.of(row);
  }

  private PluginCall ofType(ElementType type) {
    String lower = Ascii.toLowerCase(type.name());
    return new PluginCall(name + " " + lower, function, "steps", fields + " " + type.name(), want);
  }

  /** Returns what is done: one call, unless the row says more. */
  List<String> steps() {
    return object.equals("steps")
        ? Splitter.on("; ").splitToList(fields)
        : List.of("call " + object, "require " + fields + " " + want);
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
