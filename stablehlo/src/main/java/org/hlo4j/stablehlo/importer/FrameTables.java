package org.hlo4j.stablehlo.importer;

import static java.util.stream.Collectors.joining;

import com.google.common.base.CharMatcher;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.hlo4j.hlo.ir.Metadata;
import org.hlo4j.hlo.schema.AttributeText;
import org.hlo4j.hlo.schema.StackFrameTables;
import org.hlo4j.stablehlo.mlir.Location;

/**
 * The metadata of locations, and the stack frames that it refers to. The frames of {@code
 * callsite("inner"("a.py":3:11) at "outer"("a.py":5:11))} are rows of tables of the module, the
 * outermost first. A name that ends with a colon is the type of an op.
 */
final class FrameTables {
  private final Map<String, Integer> files = new LinkedHashMap<>();
  private final Map<String, Integer> functions = new LinkedHashMap<>();
  private final Map<String, Integer> places = new LinkedHashMap<>();
  private final Map<String, Integer> frames = new LinkedHashMap<>();
  private final Map<Location, Metadata> known = new HashMap<>();

  /** By identity: operations share the calls that lead to them, which may be many. */
  private final IdentityHashMap<Location, Calls> sites = new IdentityHashMap<>();

  /**
   * What the calls say that lead to a location.
   *
   * @param innermost the place of the innermost call of which one is known
   * @param frame the number of the innermost frame; 0 if there is none
   */
  private record Calls(Optional<Location.FileRange> innermost, int frame) {}

  Metadata metadata(Location location) {
    return location.equals(Location.unknown())
        ? Metadata.NONE
        : known.computeIfAbsent(location, this::made);
  }

  private Metadata made(Location location) {
    ImmutableMap.Builder<String, String> others = ImmutableMap.builder();
    Calls calls = sites.computeIfAbsent(location.site(), this::calls);
    calls.innermost.ifPresent(range -> {
      others.put("source_end_line", Integer.toString(range.endLine()));
      others.put("source_column", Integer.toString(range.startColumn()));
      others.put("source_end_column", Integer.toString(range.endColumn()));
    });
    if (calls.frame > 0) {
      others.put("stack_frame_id", Integer.toString(calls.frame));
    }
    String type = CharMatcher.is(':').trimTrailingFrom(names(location, name -> name.endsWith(":")));
    if (!type.isEmpty()) {
      others.put("op_type", quoted(type));
    }
    String name = names(location, each -> !each.endsWith(":"));
    return new Metadata(name, location.source(), others.buildOrThrow());
  }

  private static String names(Location location, Predicate<String> which) {
    return location.names().stream().filter(which).collect(joining(";"));
  }

  private Calls calls(Location site) {
    ImmutableList<Location> calls = site.calls();
    return new Calls(
        calls.stream().flatMap(each -> each.range().stream()).findFirst(),
        calls.size() > 1 ? frame(calls) : 0);
  }

  /** Returns the number of the innermost frame, counted from 1; 0 if no place is known. */
  private int frame(ImmutableList<Location> calls) {
    int frame = 0;
    for (Location call : calls.reverse()) {
      Location.FileRange range = call.range().orElse(null);
      if (range != null) {
        // The text numbers parents from 2; 1 means none.
        String row =
            "{file_location_id=%s parent_frame_id=%s}"
                .formatted(place(range, call.function()), frame + 1);
        frame = number(frames, row);
      }
    }
    return frame;
  }

  private int place(Location.FileRange range, String function) {
    String row =
        "{file_name_id=%s function_name_id=%s line=%s end_line=%s column=%s end_column=%s}"
            .formatted(
                number(files, quoted(range.file())),
                number(functions, quoted(function)),
                range.startLine(),
                range.endLine(),
                range.startColumn(),
                range.endColumn());
    return number(places, row);
  }

  private static String quoted(String text) {
    return AttributeText.quoted(text);
  }

  private static int number(Map<String, Integer> table, String row) {
    return table.computeIfAbsent(row, _ -> table.size() + 1);
  }

  /** Returns the tables as HLO text; empty if there are no frames. */
  String text() {
    if (frames.isEmpty()) {
      return "";
    }
    return StackFrameTables.text(
        files.keySet(), functions.keySet(), places.keySet(), frames.keySet());
  }
}
