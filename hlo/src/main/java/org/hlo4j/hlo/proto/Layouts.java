package org.hlo4j.hlo.proto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;

/**
 * LayoutProto. What a layout says beyond its order is text in hlo4j, such as {@code
 * T(8,128)(2,1)S(5)}: a letter, and lists of numbers in brackets.
 */
final class Layouts {
  private static final Pattern PART =
      Pattern.compile("(T|L|#|\\*|E|S|SC|M)((?:\\([^()]*\\))+)\\s*");
  private static final Pattern LIST = Pattern.compile("\\(([^()]*)\\)");

  /** XLA's name for a size that combines with the next, in the text of tiles. */
  private static final long COMBINE = Long.MIN_VALUE;

  private Layouts() {}

  static Layout read(ProtoMessage message) {
    StringBuilder details = new StringBuilder();
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
    append(details, "M", message.integer("dynamic_shape_metadata_prefix_bytes"));
    return new Layout(message.dims("minor_to_major"), details.toString());
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
    Matcher part = PART.matcher(layout.details());
    int at = 0;
    boolean tail = false;
    while (at < layout.details().length()) {
      if (!part.find(at) || part.start() != at) {
        throw unknown(layout);
      }
      tail |= part.group(1).equals("L");
      write(message, part.group(1), lists(part.group(2)), layout);
      at = part.end();
    }
    return tail ? message : message.put("tail_padding_alignment_in_elements", 1);
  }

  private static List<String> lists(String text) {
    List<String> lists = new ArrayList<>();
    LIST.matcher(text).results().forEach(list -> lists.add(list.group(1)));
    return lists;
  }

  private static void write(
      ProtoBuilder message, String letter, List<String> lists, Layout layout) {
    try {
      switch (letter) {
        case "T" -> lists.forEach(list -> message.put("tiles", tile(list)));
        case "L" -> message.put("tail_padding_alignment_in_elements", number(lists));
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
        "", "proto: layout got " + layout + ", want T, L, E, S, SC, M, # and * with numbers");
  }
}
