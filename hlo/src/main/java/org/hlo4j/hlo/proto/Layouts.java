package org.hlo4j.hlo.proto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.text.Parser;

/**
 * The conversion of layouts to and from LayoutProto. The details of a layout besides its dimension
 * order are text in hlo4j, such as {@code T(8,128)(2,1)S(5)}: letters, each followed by lists of
 * numbers in parentheses.
 */
final class Layouts {
  /** Dense, compressed, singleton, loose compressed, by their numbers in DimLevelType. */
  private static final String LEVELS = "DCSH";

  /** XLA's name for a size that combines with the next, in the text of tiles. */
  private static final long COMBINE = Long.MIN_VALUE;

  private Layouts() {}

  static Layout read(ProtoMessage message) {
    StringBuilder details = new StringBuilder(levels(message));
    List<ProtoMessage> tiles = message.messages("tiles");
    if (!tiles.isEmpty()) {
      details.append('T');
      tiles.forEach(tile -> details.append(tile(tile.dims("dimensions"))));
    }
    long tail = message.integer("tail_padding_alignment_in_elements");
    append(details, "L", tail == 1 ? 0 : tail);
    appendType(details, "#", message.smallInteger("index_primitive_type"));
    appendType(details, "*", message.smallInteger("pointer_primitive_type"));
    append(details, "E", message.integer("element_size_in_bits"));
    append(details, "S", message.integer("memory_space"));
    splits(details, message.messages("split_configs"));
    message
        .message("physical_shape")
        .ifPresent(shape -> details.append("P(").append(Shapes.read(shape)).append(')'));
    append(details, "M", message.integer("dynamic_shape_metadata_prefix_bytes"));
    return new Layout(message.dims("minor_to_major"), details.toString());
  }

  /**
   * Returns the level types of a sparse array, {@code D(D,C+)}; empty if all dimensions are dense.
   */
  private static String levels(ProtoMessage message) {
    long[] levels = message.integers("dim_level_types");
    long[] unique = message.integers("dim_unique");
    long[] ordered = message.integers("dim_ordered");
    return Arrays.stream(levels).allMatch(level -> level == 0)
        ? ""
        : IntStream.range(0, levels.length)
            .mapToObj(i -> level(message, levels[i]) + mark(unique, i, "+") + mark(ordered, i, "~"))
            .collect(Collectors.joining(",", "D(", ")"));
  }

  private static char level(ProtoMessage message, long level) {
    if (level < 0 || level >= LEVELS.length()) {
      throw message.refusal("dim_level_types", "got " + level + ", want 0 to 3");
    }
    return LEVELS.charAt((int) level);
  }

  private static String mark(long[] values, int dimension, String without) {
    return dimension >= values.length || values[dimension] != 0 ? "" : without;
  }

  private static void writeLevels(ProtoBuilder message, String list, Layout layout) {
    List<String> levels = TextParts.split(list, ',');
    if (levels.stream().anyMatch(level -> LEVELS.indexOf(level.charAt(0)) < 0)) {
      throw unknown(layout);
    }
    message.put("dim_level_types", column(levels, level -> LEVELS.indexOf(level.charAt(0))));
    message.put("dim_unique", column(levels, level -> level.contains("+") ? 0 : 1));
    message.put("dim_ordered", column(levels, level -> level.contains("~") ? 0 : 1));
  }

  private static Dims column(List<String> levels, ToLongFunction<String> number) {
    return Dims.of(levels.stream().mapToLong(number).toArray());
  }

  private static String tile(Dims sizes) {
    return sizes.stream()
        .mapToObj(size -> size == COMBINE ? "*" : Long.toString(size))
        .collect(Collectors.joining(",", "(", ")"));
  }

  private static void append(StringBuilder details, String letter, long value) {
    if (value != 0) {
      details.append(letter).append('(').append(value).append(')');
    }
  }

  private static void appendType(StringBuilder details, String letter, int number) {
    Shapes.elementType(number)
        .ifPresent(type -> details.append(letter).append('(').append(type).append(')'));
  }

  private static void splits(StringBuilder details, List<ProtoMessage> splits) {
    if (splits.isEmpty()) {
      return;
    }
    details.append("SC");
    for (ProtoMessage split : splits) {
      details.append('(').append(split.integer("dimension")).append(':');
      details.append(joined(split.dims("split_indices"))).append(')');
    }
  }

  private static String joined(Dims values) {
    return values.stream().mapToObj(Long::toString).collect(Collectors.joining(","));
  }

  static ProtoBuilder write(Layout layout) {
    ProtoBuilder message = ProtoBuilder.of("LayoutProto");
    message.put("minor_to_major", layout.minorToMajor());
    String details = layout.details();
    for (int at = 0; at < details.length(); ) {
      int open = details.indexOf('(', at);
      if (open < 0) {
        throw unknown(layout);
      }
      List<String> lists = new ArrayList<>();
      int end = open;
      while (end < details.length() && details.charAt(end) == '(') {
        int close = TextParts.endOfBrackets(details, end);
        lists.add(details.substring(end + 1, close));
        end = close + 1;
      }
      write(message, details.substring(at, open).strip(), lists, layout);
      at = end;
    }
    boolean tail = message.has("tail_padding_alignment_in_elements");
    return tail ? message : message.put("tail_padding_alignment_in_elements", 1);
  }

  private static void write(
      ProtoBuilder message, String letter, List<String> lists, Layout layout) {
    try {
      switch (letter) {
        case "T" -> lists.forEach(list -> message.put("tiles", tile(list)));
        case "D" -> writeLevels(message, lists.get(0), layout);
        case "P" -> message.put("physical_shape", Shapes.write(Parser.parseShape(lists.get(0))));
        case "L" -> message.putPresent("tail_padding_alignment_in_elements", number(lists));
        case "#" -> message.put("index_primitive_type", type(lists, layout));
        case "*" -> message.put("pointer_primitive_type", type(lists, layout));
        case "E" -> message.put("element_size_in_bits", number(lists));
        case "S" -> message.put("memory_space", number(lists));
        case "SC" -> lists.forEach(list -> message.put("split_configs", split(list)));
        case "M" -> message.put("dynamic_shape_metadata_prefix_bytes", number(lists));
        default -> throw unknown(layout);
      }
    } catch (NumberFormatException noNumber) {
      throw unknown(layout);
    }
  }

  private static long number(List<String> lists) {
    return Long.parseLong(lists.get(0).strip());
  }

  private static int type(List<String> lists, Layout layout) {
    return Shapes.number(
        ElementType.named(lists.get(0).strip()).orElseThrow(() -> unknown(layout)));
  }

  private static ProtoBuilder tile(String list) {
    return ProtoBuilder.of("TileProto").put("dimensions", numbers(list));
  }

  private static ProtoBuilder split(String list) {
    String[] parts = list.split(":", 2);
    return ProtoBuilder.of("SplitConfigProto")
        .put("dimension", Long.parseLong(parts[0].strip()))
        .put("split_indices", numbers(parts.length == 1 ? "" : parts[1]));
  }

  private static Dims numbers(String list) {
    return Dims.of(
        Arrays.stream(list.split(",", -1))
            .map(String::strip)
            .filter(number -> !number.isEmpty())
            .mapToLong(number -> number.equals("*") ? COMBINE : Long.parseLong(number))
            .toArray());
  }

  private static HloException unknown(Layout layout) {
    return new HloException(
        "", "proto: layout got " + layout + ", want D, T, L, #, *, E, S, SC, P and M with lists");
  }
}
