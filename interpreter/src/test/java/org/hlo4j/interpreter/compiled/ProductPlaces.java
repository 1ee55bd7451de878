package org.hlo4j.interpreter.compiled;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;

/**
 * The programs of {@code product-places.txt} for a dot or convolution of {@code x} and {@code y}.
 *
 * @param result the shape of the product
 * @param lhs the shape of x
 * @param rhs the shape of y
 * @param opcode dot or convolution
 * @param attributes the attributes of the op, as text
 */
record ProductPlaces(
    Shape.Array result, Shape.Array lhs, Shape.Array rhs, String opcode, String attributes) {
  private static final Pattern ROW = Pattern.compile("(\\S+) (\\w+)\\((\\S+) (\\S+)\\), (.*)");
  private static final Pattern LABELS = Pattern.compile("dim_labels=(\\w+)_\\w+->(\\w+)");
  private static final ImmutableMap<String, String> PROGRAMS = programs();

  /** The state of loops: the iteration, their number, both operands and the product. */
  private static final String STATE =
      """
      s = (s32[], s32[], <X>, <Y>, <R>) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        n = s32[] get-tuple-element(s), index=1
        x = <X> get-tuple-element(s), index=2
        y = <Y> get-tuple-element(s), index=3
        r = <R> get-tuple-element(s), index=4
        one = s32[] constant(1)
        j = s32[] add(i, one)
        less = pred[] compare(i, n), direction=LT
      """;

  private static final String LOOP =
      """
      x = <X> parameter(0) y = <Y> parameter(1) n = s32[] parameter(2) r = <R> parameter(3)
        o = s32[] constant(0)
        s = (s32[], s32[], <X>, <Y>, <R>) tuple(o, n, x, y, r)
        w = (s32[], s32[], <X>, <Y>, <R>) while(s), condition=c, body=b
      """;

  private static ImmutableMap<String, String> programs() {
    Map<String, String> programs = new LinkedHashMap<>();
    for (String each : Splitter.on("\n= ").split(resource("product-places.txt"))) {
      List<String> parts = Splitter.on('\n').limit(2).splitToList(each);
      if (!parts.get(0).startsWith("#")) {
        programs.put(parts.get(0), parts.get(1).replaceAll("(?m)^#.*$", ""));
      }
    }
    return ImmutableMap.copyOf(programs);
  }

  static String resource(String name) {
    try {
      return Resources.toString(Resources.getResource(ProductPlaces.class, name), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** {@return the product of a row such as {@code f32[2] dot(f32[2,3] f32[3]), attributes}} */
  static ProductPlaces of(String row) {
    Matcher parts = ROW.matcher(row);
    if (!parts.matches()) {
      throw new IllegalArgumentException(row);
    }
    return new ProductPlaces(
        (Shape.Array) Shape.parse(parts.group(1)),
        (Shape.Array) Shape.parse(parts.group(3)),
        (Shape.Array) Shape.parse(parts.group(4)),
        parts.group(2),
        parts.group(5));
  }

  private boolean isConvolution() {
    return opcode.equals("convolution");
  }

  /** {@return the names of the places in which the product can stand} */
  List<String> places() {
    return PROGRAMS.keySet().stream()
        .filter(name -> isConvolution() || !name.equals("between convolutions"))
        .toList();
  }

  /** {@return the program of a place} */
  HloModule module(String place) {
    String text =
        requireNonNull(PROGRAMS.get(place)).replace("<STATE>", STATE).replace("<LOOP>", LOOP);
    Map<String, String> values = values();
    String program =
        Pattern.compile("<(\\w+)>")
            .matcher(text)
            .replaceAll(name -> Matcher.quoteReplacement(values.get(name.group(1))));
    return Parser.parse("HloModule m\n" + program);
  }

  private Map<String, String> values() {
    Map<String, String> values = new HashMap<>();
    values.put("X", lhs.toString());
    values.put("Y", rhs.toString());
    values.put("R", result.toString());
    values.put("P", opcode + "(x, y), " + attributes);
    values.put("PRED", result.withElementType(ElementType.PRED).toString());
    Dims all = Dims.range(0, result.rank());
    values.put("ALL", list(all));
    putTransposed(values, "BACK", "REVERSE", result, reversed(result.rank()));
    putTransposed(values, "XBACK", "XREVERSE", lhs, reversed(lhs.rank()));
    putTransposed(values, "YBACK", "YREVERSE", rhs, reversed(rhs.rank()));
    putTransposed(values, "SWAPPED", "SWAP", result, swap());
    Matcher labels = LABELS.matcher(attributes);
    if (labels.find()) {
      putIdentity(values, "X", lhs, labels.group(1));
      putIdentity(values, "R", result, labels.group(2));
    }
    return values;
  }

  private static void putTransposed(
      Map<String, String> values, String shape, String order, Shape.Array from, Dims dimensions) {
    values.put(shape, from.withSizes(from.sizes().at(dimensions)).toString());
    values.put(order, list(dimensions));
  }

  private static void putIdentity(
      Map<String, String> values, String prefix, Shape.Array image, String labels) {
    values.put(prefix + "EYE", identity(image, labels).toString());
    String spatial = labels.replaceAll("[bf]", "");
    values.put(prefix + "LABELS", labels + "_io" + spatial + "->" + labels);
    values.put("ONES", "size=" + "1x".repeat(spatial.length() - 1) + "1");
  }

  private static Shape.Array identity(Shape.Array image, String labels) {
    long features = image.size(labels.indexOf('f'));
    Dims sizes = Dims.filled(image.rank(), 1).with(0, features).with(1, features);
    return image.withSizes(sizes);
  }

  /** {@return the shapes of the identities around a convolution; none for a dot} */
  List<Shape.Array> identities() {
    Matcher labels = LABELS.matcher(attributes);
    return labels.find()
        ? List.of(identity(lhs, labels.group(1)), identity(result, labels.group(2)))
        : List.of();
  }

  private static Dims reversed(int rank) {
    List<Long> all = Dims.range(0, rank).stream().boxed().collect(Collectors.toList());
    Collections.reverse(all);
    return Dims.copyOf(all);
  }

  /** {@return the product as the program of a place gives it} */
  Literal expected(String place, Literal product) {
    return switch (place) {
      case "before a reversing transpose" -> reversed(product);
      case "before an exchange" -> transposed(product, swap());
      default -> product;
    };
  }

  static Literal reversed(Literal array) {
    return transposed(array, reversed(((Shape.Array) array.shape()).rank()));
  }

  private static Literal transposed(Literal array, Dims order) {
    Shape.Array shape = (Shape.Array) array.shape();
    String text =
        "HloModule m ENTRY e { x = %s parameter(0) ROOT t = %s transpose(x), dimensions={%s} }"
            .formatted(shape, shape.withSizes(shape.sizes().at(order)), list(order));
    return Interpreter.reference().run(Parser.parse(text), array);
  }

  /** {@return the order with rows and columns of a dot exchanged, behind the batches} */
  private Dims swap() {
    if (isConvolution()) {
      return reversed(result.rank());
    }
    Matcher batches = Pattern.compile("lhs_batch_dims=\\{([\\d,]*)}").matcher(attributes);
    int first = batches.find() ? Splitter.on(',').splitToList(batches.group(1)).size() : 0;
    int contracted = count("lhs_contracting_dims");
    int rows = lhs.rank() - first - contracted;
    return Dims.range(0, first)
        .concat(Dims.range(first + rows, result.rank()))
        .concat(Dims.range(first, first + rows));
  }

  private int count(String attribute) {
    Matcher list = Pattern.compile(attribute + "=\\{([\\d,]+)}").matcher(attributes);
    return list.find() ? Splitter.on(',').splitToList(list.group(1)).size() : 0;
  }

  private static String list(Dims dimensions) {
    return Arrays.stream(dimensions.toArray())
        .mapToObj(Long::toString)
        .collect(Collectors.joining(","));
  }
}
