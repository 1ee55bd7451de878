package org.hlo4j.stablehlo.exporter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableListMultimap;
import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.schema.StackFrameTables;
import org.hlo4j.stablehlo.mlir.Location;

/**
 * The stack frames of a module, converted to locations: {@code callsite("inner"("a.py":3:11) at
 * "outer"("a.py":5:11))}. Metadata refers to a frame by {@code stack_frame_id}. Rows of the tables
 * are numbered from 1.
 */
final class StackFrames {
  /**
   * The largest number of frames in a location, as many as are read again; outer frames beyond it
   * are dropped.
   */
  private static final int MAX_FRAMES = 380;

  /** The rows of each table. */
  private final ImmutableListMultimap<String, String> tables;

  private final Map<Integer, Location> known = new HashMap<>();

  StackFrames(String text) {
    tables = StackFrameTables.parse(text);
  }

  /** Returns the location of a frame and its callers; unknown if there is no such frame. */
  Location location(String id) {
    Integer number = Ints.tryParse(id);
    return number == null ? Location.unknown() : known.computeIfAbsent(number, this::location);
  }

  private Location location(int innermost) {
    List<Location> places = new ArrayList<>();
    int frame = innermost;
    int last = Integer.MAX_VALUE;
    while (frame > 0 && frame < last && places.size() < MAX_FRAMES) {
      Map<String, Integer> fields = fields("StackFrames", frame);
      places.add(place(fields.getOrDefault("file_location_id", 0)));
      last = frame;
      // The text numbers parents from 2.
      frame = fields.getOrDefault("parent_frame_id", 1) - 1;
    }
    ImmutableList<Location> outermostFirst =
        places.stream()
            .filter(place -> !place.equals(Location.unknown()))
            .collect(toImmutableList())
            .reverse();
    return outermostFirst.stream()
        .reduce((caller, callee) -> new Location.CallSite(callee, caller))
        .orElse(Location.unknown());
  }

  private Location place(int location) {
    Map<String, Integer> fields = fields("FileLocations", location);
    int line = fields.getOrDefault("line", 0);
    if (line < 1) {
      return Location.unknown();
    }
    int column = Math.max(1, fields.getOrDefault("column", 1));
    int endLine = Math.max(line, fields.getOrDefault("end_line", line));
    int endColumn = fields.getOrDefault("end_column", 0);
    Location range =
        new Location.FileRange(
            string("FileNames", fields.getOrDefault("file_name_id", 0)),
            line,
            column,
            endLine,
            endColumn < 1 ? column : endColumn);
    String function = string("FunctionNames", fields.getOrDefault("function_name_id", 0));
    return function.isEmpty() ? range : new Location.Name(function, range);
  }

  private String string(String table, int number) {
    String quoted = row(table, number);
    return quoted.length() < 2
        ? ""
        : AttributeText.unescaped(quoted.substring(1, quoted.length() - 1));
  }

  private Map<String, Integer> fields(String table, int number) {
    return StackFrameTables.fields(row(table, number));
  }

  private String row(String table, int number) {
    ImmutableList<String> rows = tables.get(table);
    return number > 0 && number <= rows.size() ? rows.get(number - 1) : "";
  }
}
