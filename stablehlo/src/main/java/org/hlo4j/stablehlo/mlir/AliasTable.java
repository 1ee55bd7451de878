package org.hlo4j.stablehlo.mlir;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;

/**
 * The aliases and resources of a text. Where each is defined is found beforehand, as locations are
 * used before their aliases are defined; each is read when it is first used.
 */
final class AliasTable {
  private final TextScanner text;
  private final Function<TextScanner, AttributeParser> parsers;
  private final Map<String, Integer> attributePositions = new HashMap<>();
  private final Map<String, Integer> typePositions = new HashMap<>();
  private final Map<String, Attribute> attributes = new HashMap<>();
  private final Map<String, Type> types = new HashMap<>();
  private final Map<String, Location> locations = new HashMap<>();
  private final Set<String> open = new HashSet<>();
  private final Resources resources;

  AliasTable(TextScanner text, Function<TextScanner, AttributeParser> parsers) {
    this.text = text;
    this.parsers = parsers;
    this.resources = Resources.find(text.text);
    findDefinitions(text.text);
  }

  /** A line that begins with {@code #name =} or {@code !name =} defines an alias. */
  private void findDefinitions(String all) {
    for (int line = 0; line >= 0 && line < all.length(); line = nextLine(all, line)) {
      char c = all.charAt(line);
      if (c == '#' || c == '!') {
        TextScanner in = new TextScanner(all, line + 1);
        if (TextScanner.isWordPart(in.charAt(in.at))) {
          String name = in.name();
          if (in.eat('=')) {
            (c == '#' ? attributePositions : typePositions).putIfAbsent(name, in.at);
          }
        }
      }
    }
  }

  private static int nextLine(String all, int line) {
    int end = all.indexOf('\n', line);
    return end < 0 ? -1 : end + 1;
  }

  Attribute attribute(String name, int position) {
    Attribute known = attributes.get(name);
    if (known == null) {
      known = parsers.apply(definition(attributePositions, "#" + name, name, position)).attribute();
      open.remove("#" + name);
      attributes.put(name, known);
    }
    return known;
  }

  Type type(String name, int position) {
    Type known = types.get(name);
    if (known == null) {
      known = parsers.apply(definition(typePositions, "!" + name, name, position)).types().type();
      open.remove("!" + name);
      types.put(name, known);
    }
    return known;
  }

  Location location(String name, int position) {
    Location known = locations.get(name);
    if (known == null) {
      known = parsers.apply(definition(attributePositions, "#" + name, name, position)).location();
      open.remove("#" + name);
      locations.put(name, known);
    }
    return known;
  }

  private TextScanner definition(
      Map<String, Integer> positions, String key, String name, int position) {
    Integer at = positions.get(name);
    if (at == null) {
      throw new TextError(position, "alias " + key + " is not defined");
    }
    if (!open.add(key) || open.size() > 200) {
      throw new TextError(position, "alias " + key + " is defined by itself");
    }
    return new TextScanner(text.text, at);
  }

  /** The elements of a resource, or the resource itself if the text has none of that name. */
  Attribute resource(String name, Type.Tensor type) {
    return resources.has(name)
        ? new Attribute.Dense(type, false, () -> resources.literal(name, type))
        : new Attribute.DenseResource(name, type);
  }

  /** The blobs of {@code {-# dialect_resources: {...} #-}} at the end of a text. */
  private static final class Resources {
    private final Map<String, int[]> ranges;
    private final String text;

    private Resources(String text, Map<String, int[]> ranges) {
      this.text = text;
      this.ranges = ranges;
    }

    static Resources find(String text) {
      Map<String, int[]> ranges = new HashMap<>();
      int start = text.lastIndexOf("{-#");
      if (start >= 0) {
        TextScanner in = new TextScanner(text, start + 3);
        Deque<String> names = new ArrayDeque<>();
        while (!in.atEnd() && !in.looksAt("#-}")) {
          step(in, names, ranges);
        }
      }
      return new Resources(text, ranges);
    }

    private static void step(TextScanner in, Deque<String> names, Map<String, int[]> ranges) {
      if (in.peek() == '"') {
        int from = in.at + 1;
        int to = in.text.indexOf('"', from);
        if (to < 0) {
          throw in.wrong("a string that ends");
        }
        if (!names.isEmpty()) {
          ranges.put(names.peek(), new int[] {from, to});
        }
        in.at = to + 1;
        if (in.eat(':')) {
          names.push(in.text.substring(from, to));
        }
      } else if (TextScanner.isWordPart(in.peek())) {
        names.push(in.name());
        in.expect(':');
      } else {
        in.at++;
      }
    }

    boolean has(String name) {
      return ranges.containsKey(name);
    }

    /** Bytes as hexadecimal digits; the first four say how they are aligned. */
    Literal literal(String name, Type.Tensor type) {
      int[] range = ranges.get(name);
      if (range == null) {
        throw new HloException(HloException.Kind.PARSE, "resource " + name + " is missing");
      }
      int from = range[0] + 2 + 8;
      if (!text.startsWith("0x", range[0]) || from > range[1]) {
        throw new HloException(
            HloException.Kind.PARSE, "resource " + name + " is no hexadecimal blob");
      }
      return DenseDecoder.hexadecimal(text, from, range[1], type);
    }
  }
}
