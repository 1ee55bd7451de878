package org.hlo4j.hlo.schema;

import static java.util.Objects.requireNonNullElse;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.primitives.Ints;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The stack frames of a module in HLO text: four tables, whose rows are numbered from 1. Metadata
 * refers to a row of the last one by {@code stack_frame_id}.
 */
public final class StackFrameTables {
  /** The names of the tables, in their order. */
  private static final List<String> NAMES =
      List.of("FileNames", "FunctionNames", "FileLocations", "StackFrames");

  private static final Pattern FIELD = Pattern.compile("(\\w+)=(-?[0-9]+)");
  private static final CharMatcher DIGITS = CharMatcher.inRange('0', '9');

  private StackFrameTables() {}

  /**
   * {@return the rows of each table, without their numbers}
   *
   * @param text the tables, or an empty text
   */
  public static ImmutableListMultimap<String, String> parse(String text) {
    ImmutableListMultimap.Builder<String, String> rows = ImmutableListMultimap.builder();
    String table = "";
    for (String line : text.lines().map(String::strip).toList()) {
      String row = DIGITS.trimLeadingFrom(line).strip();
      if (row.startsWith("\"") || row.startsWith("{")) {
        rows.put(table, row);
      } else if (!row.isEmpty()) {
        table = row;
      }
    }
    return rows.build();
  }

  /**
   * {@return the numbers of a row of places or frames by name; 0 for what is too large}
   *
   * @param row a row such as <code>{file_location_id=1 parent_frame_id=1}</code>
   */
  public static Map<String, Integer> fields(String row) {
    Map<String, Integer> fields = new HashMap<>();
    FIELD
        .matcher(row)
        .results()
        .forEach(field ->
            fields.put(field.group(1), requireNonNullElse(Ints.tryParse(field.group(2)), 0)));
    return fields;
  }

  /**
   * {@return the tables as text}
   *
   * @param tables the rows of each: of files, functions, places and frames
   */
  @SafeVarargs
  public static String text(Collection<String>... tables) {
    return IntStream.range(0, tables.length)
        .mapToObj(i -> NAMES.get(i) + numbered(tables[i]))
        .collect(Collectors.joining("\n\n"));
  }

  private static String numbered(Collection<String> rows) {
    StringBuilder text = new StringBuilder();
    int number = 1;
    for (String row : rows) {
      text.append('\n').append(number++).append(' ').append(row);
    }
    return text.toString();
  }
}
