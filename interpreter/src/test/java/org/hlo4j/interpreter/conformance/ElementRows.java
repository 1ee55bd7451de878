package org.hlo4j.interpreter.conformance;

import static org.hlo4j.hlo.ElementType.named;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.Rows;
import org.hlo4j.testing.ElementwiseCase;

/** Reads elements.txt and conversions.txt; the format is explained at the top of each. */
final class ElementRows {
  private static final Splitter WORDS = Splitter.on(' ');
  private static final Pattern COMPLEX = Pattern.compile("\\((\\S+) (\\S+)\\)");

  private ElementRows() {}

  /** The rows of a file, each as an op on vectors of as many elements as it has points. */
  static List<ElementwiseCase> read(String resource) {
    List<ElementwiseCase> rows = new ArrayList<>();
    StringBuilder points = new StringBuilder();
    String head = "";
    for (String line : Rows.lines(resource)) {
      if (line.startsWith(" ")) {
        points.append(line.strip()).append(' ');
      } else {
        add(rows, head, points.toString());
        points.setLength(0);
        head = line;
      }
    }
    add(rows, head, points.toString());
    return rows;
  }

  private static void add(List<ElementwiseCase> rows, String head, String text) {
    if (head.isEmpty()) {
      return;
    }
    List<String> words = new ArrayList<>(WORDS.splitToList(head));
    ElementType type = type(words.get(1));
    ElementType out = words.contains("to") ? type(words.get(3)) : defaultResult(head, type);
    List<String> rest = words.subList(words.contains("to") ? 4 : 2, words.size());
    List<String> points = Splitter.on(';').trimResults().omitEmptyStrings().splitToList(text);
    rows.add(row(words.get(0), attributes(words.get(0), rest), type, out, points));
  }

  private static ElementType type(String name) {
    return named(name).orElseThrow(() -> new IllegalArgumentException(name));
  }

  private static ElementType defaultResult(String head, ElementType type) {
    boolean truth = head.startsWith("compare ") || head.startsWith("is-finite ");
    return truth ? ElementType.PRED : type;
  }

  private static ImmutableMap<String, String> attributes(String op, List<String> words) {
    List<String> names =
        op.equals("compare")
            ? List.of("direction", "type")
            : List.of("exponent_bits", "mantissa_bits");
    ImmutableMap.Builder<String, String> attributes = ImmutableMap.builder();
    for (int i = 0; i < words.size(); i++) {
      attributes.put(names.get(i), words.get(i));
    }
    return attributes.buildOrThrow();
  }

  private static ElementwiseCase row(
      String op,
      ImmutableMap<String, String> attributes,
      ElementType type,
      ElementType out,
      List<String> points) {
    List<List<String>> operands = new ArrayList<>();
    List<String> results = new ArrayList<>();
    for (String point : points) {
      List<String> sides = Splitter.on(" -> ").splitToList(point);
      operands.add(Splitter.on(',').splitToList(sides.get(0)));
      results.add(sides.get(1));
    }
    ImmutableList.Builder<Literal> arguments = ImmutableList.builder();
    for (int i = 0; i < operands.get(0).size(); i++) {
      int operand = i;
      boolean pred = op.equals("select") && i == 0;
      arguments.add(
          vector(
              pred ? ElementType.PRED : type,
              operands.stream().map(point -> point.get(operand)).toList()));
    }
    return new ElementwiseCase(
        op, attributes, arguments.build(), vector(out, results), ImmutableList.of());
  }

  /** A vector of values as the files write them. */
  static Literal vector(ElementType type, List<String> values) {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, values.size()));
    for (int i = 0; i < values.size(); i++) {
      Matcher complex = COMPLEX.matcher(values.get(i));
      if (complex.matches()) {
        literal.setBits(2 * i, bits(type.componentType(), complex.group(1)));
        literal.setBits(2 * i + 1, bits(type.componentType(), complex.group(2)));
      } else {
        literal.setBits(i, bits(type, values.get(i)));
      }
    }
    return literal.build();
  }

  private static long bits(ElementType type, String text) {
    if (text.startsWith("0x")) {
      return Long.parseUnsignedLong(text.substring(2), 16);
    }
    return switch (type.kind()) {
      case PRED -> Boolean.parseBoolean(text) ? 1 : 0;
      case SIGNED, UNSIGNED -> integer(type, text);
      case FLOAT -> type.encode(floating(type, text));
      case COMPLEX -> throw new IllegalArgumentException(text);
    };
  }

  private static long integer(ElementType type, String text) {
    return switch (text) {
      case "MIN" -> type.minLong();
      case "MAX" -> type.maxLong();
      default -> text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
    };
  }

  private static double floating(ElementType type, String text) {
    return switch (text) {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      case "MAX" -> type.maxFinite();
      default -> Double.parseDouble(text);
    };
  }
}
