package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/**
 * Random programs, made from a seed, over arrays of which some dimensions are reduced: ops on
 * elements, which movement ops take from elsewhere, reductions, and ops on their results.
 */
final class RandomRows {
  private static final ImmutableList<String> TYPES =
      ImmutableList.of(
          "f32",
          "f32",
          "f32",
          "f32",
          "f64",
          "f64",
          "bf16",
          "bf16",
          "f16",
          "f8e4m3fn",
          "f8e5m2",
          "s32",
          "s32",
          "s8",
          "s16",
          "s64",
          "u8",
          "u16",
          "u32",
          "u64",
          "s4",
          "u4",
          "pred",
          "c64",
          "c128");

  private static final ImmutableList<String> OTHERS =
      ImmutableList.of("f32", "f32", "f64", "bf16", "f16", "s32", "s8", "u16", "s64");

  /** Sizes around those at which planners choose otherwise. */
  private static final ImmutableList<Integer> SIZES =
      ImmutableList.of(
          1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 48, 63, 64, 65,
          95, 96, 97, 100, 127, 128, 129, 200, 255, 256, 257, 264, 300, 511, 512, 513, 600, 700,
          1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 4097, 8191, 8192, 8193, 9000, 15360,
          15361, 16384, 16385, 65536, 65537, 131072, 140001);

  /** The numbers of elements, of which most programs have few. */
  private static final ImmutableList<Integer> MOST =
      ImmutableList.of(1000, 1000, 3000, 3000, 3000, 8000, 20_000, 60_000, 300_000);

  /** A value of each result, or of each element that is reduced. */
  private record Thing(String name, String type, boolean isOfRow) {}

  private final Random random;

  /** The types of most values and of the others. */
  private final String main;

  private final String other;

  /** The type of the current step. */
  private String type;

  private final List<Integer> sizes = new ArrayList<>();
  private final List<Integer> reduced = new ArrayList<>();
  private final List<Integer> kept = new ArrayList<>();
  private final List<String> parameters = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final List<Thing> things = new ArrayList<>();
  private final Set<Thing> used = new LinkedHashSet<>();

  private RandomRows(long seed, int most) {
    random = new Random(seed * 7919 + 3);
    main = pick(TYPES);
    type = main;
    boolean isNumber = !isComplex() && !main.equals("pred");
    other = isNumber && random.nextInt(3) == 0 ? pick(OTHERS) : main;
    int rank = pick(List.of(1, 2, 2, 2, 3, 3, 4));
    int left = Math.min(most, pick(MOST));
    for (int d = 0; d < rank; d++) {
      int room = left;
      sizes.add(pick(SIZES.stream().filter(size -> size <= room).toList()));
      left /= sizes.getLast();
    }
    Collections.shuffle(sizes, random);
    while (reduced.isEmpty()) {
      IntStream.range(0, rank).filter(_ -> random.nextBoolean()).forEach(reduced::add);
    }
    IntStream.range(0, rank).filter(d -> !reduced.contains(d)).forEach(kept::add);
  }

  /**
   * {@return a module whose root is a random fusion}
   *
   * @param size the approximate number of its instructions
   * @param most the number of elements that it reduces at most
   */
  static HloModule fusion(long seed, int size, int most) {
    return new RandomRows(seed, most).generate(size, true);
  }

  /** {@return the same computation as {@link #fusion}, which is not fused} */
  static HloModule plain(long seed, int size, int most) {
    return new RandomRows(seed, most).generate(size, false);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private boolean isFloat() {
    return type.startsWith("f") || type.startsWith("bf");
  }

  private boolean isComplex() {
    return type.startsWith("c");
  }

  private static String joined(List<?> parts) {
    return parts.stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  private static String shape(String type, List<Integer> sizes) {
    return type + sizes.toString().replace(" ", "");
  }

  private List<Integer> sizes(boolean isOfRow) {
    return isOfRow ? kept.stream().map(sizes::get).toList() : sizes;
  }

  private static String braces(List<Integer> dimensions) {
    return "{" + joined(dimensions) + "}";
  }

  private String line(String shape, String op) {
    String name = "i" + lines.size();
    lines.add(name + " = " + shape + " " + op);
    return name;
  }

  private Thing add(String type, boolean isOfRow, String op) {
    Thing made = new Thing(line(shape(type, sizes(isOfRow)), op), type, isOfRow);
    things.add(made);
    return made;
  }

  private String parameter(String type, List<Integer> sizes) {
    String name = "p" + parameters.size();
    parameters.add(name + " = " + shape(type, sizes) + " parameter(" + parameters.size() + ")");
    return name;
  }

  private void addParameter(boolean isOfRow) {
    things.add(new Thing(parameter(type, sizes(isOfRow)), type, isOfRow));
  }

  /** {@return an existing value of a type, preferably a recent one} */
  private Thing any(String type, boolean isOfRow) {
    List<Thing> fit =
        things.stream()
            .filter(thing -> thing.isOfRow() == isOfRow && thing.type().equals(type))
            .toList();
    if (fit.isEmpty()) {
      return type.equals("pred") && !main.equals("pred")
          ? compared(isOfRow)
          : !type.equals(this.type)
              ? counted(type, isOfRow)
              : type.equals(main) ? spread(isOfRow) : converted(any(main, isOfRow));
    }
    int back = Math.min(random.nextInt(3) * random.nextInt(3), fit.size() - 1);
    Thing chosen = fit.get(fit.size() - 1 - back);
    used.add(chosen);
    return chosen;
  }

  private String name(boolean isOfRow) {
    return any(type, isOfRow).name();
  }

  private Thing compared(boolean isOfRow) {
    String how = pick(isComplex() ? List.of("EQ", "NE") : List.of("LT", "GT", "EQ", "NE", "LE"));
    String operands = name(isOfRow) + ", " + name(isOfRow);
    return add("pred", isOfRow, "compare(" + operands + "), direction=" + how);
  }

  private Thing converted(Thing from) {
    return add(type, from.isOfRow(), "convert(" + from.name() + ")");
  }

  /** Counts along a dimension. */
  private Thing counted(String type, boolean isOfRow) {
    List<Integer> of = sizes(isOfRow);
    if (of.isEmpty()) {
      return add(type, isOfRow, "constant(1)");
    }
    return add(type, isOfRow, "iota(), iota_dimension=" + random.nextInt(of.size()));
  }

  /** Broadcasts a value of each result to what is reduced, or reduces some elements. */
  private Thing spread(boolean isOfRow) {
    return isOfRow
        ? reduced()
        : add(type, false, "broadcast(" + name(true) + "), dimensions=" + braces(kept));
  }

  private Thing reduced() {
    return reduced(name(false), type, pick(reducers()));
  }

  private List<String> reducers() {
    return type.equals("pred")
        ? List.of("and", "or")
        : isComplex()
            ? List.of("sum", "product")
            : List.of("sum", "sum", "sum", "max", "min", "product", "digits");
  }

  private Thing reduced(String of, String type, String reducer) {
    String start =
        type.equals(this.type) && random.nextInt(4) == 0
            ? parameter(type, List.of())
            : line(type + "[]", constant(type, random.nextInt(2)));
    String how = "), dimensions=" + braces(reduced) + ", to_apply=" + reducer + "_" + type;
    return add(type, true, "reduce(" + of + ", " + start + how);
  }

  private static String constant(String type, int value) {
    return "constant(" + (type.startsWith("c") ? "(" + value + ", 0)" : "" + value) + ")";
  }

  /** Reduces two arrays at once: to the position of the greatest, or to a sum and a maximum. */
  private void reducedTogether() {
    boolean isPosition = random.nextBoolean();
    String second = isPosition ? "s32" : type;
    String operands =
        name(false)
            + ", "
            + any(second, false).name()
            + ", "
            + line(type + "[]", constant(type, 0))
            + ", "
            + line(second + "[]", "constant(0)");
    String shapes = shape(type, sizes(true)) + ", " + shape(second, sizes(true));
    String both =
        line(
            "(" + shapes + ")",
            "reduce("
                + operands
                + "), dimensions="
                + braces(reduced)
                + ", to_apply="
                + (isPosition ? "argmax_" : "moments_")
                + type);
    add(type, true, "get-tuple-element(" + both + "), index=0");
    if (random.nextInt(4) > 0) {
      add(second, true, "get-tuple-element(" + both + "), index=1");
    }
  }

  // ---- elements that are moved

  /** {@return the text of a range or of a padding of each dimension} */
  private String each(List<Integer> of, String separator, IntFunction<String> text) {
    return IntStream.range(0, of.size()).mapToObj(text).collect(Collectors.joining(separator));
  }

  private List<Integer> with(List<Integer> of, int dimension, int size) {
    List<Integer> other = new ArrayList<>(of);
    other.set(dimension, size);
    return other;
  }

  /** Moves elements of a value, or takes them from a parameter of another shape. */
  private void moved() {
    boolean isOfRow = random.nextInt(8) == 0 && !kept.isEmpty();
    List<Integer> of = sizes(isOfRow);
    int d = random.nextInt(of.size());
    int size = of.get(d);
    int some = random.nextInt(size);
    switch (random.nextInt(19) / 2) {
      case 0 -> add(type, isOfRow, "reverse(" + name(isOfRow) + "), dimensions={" + d + "}");
      case 1 -> { // shifts
        String with = line(type + "[]", constant(type, 1));
        int by = random.nextBoolean() ? some : -some;
        String padding = each(of, "x", k -> k == d ? by + "_" + -by : "0_0");
        add(type, isOfRow, "pad(" + name(isOfRow) + ", " + with + "), padding=" + padding);
      }
      case 2 -> { // rotates
        if (some == 0) {
          return;
        }
        String from = name(isOfRow);
        String end =
            line(
                shape(type, with(of, d, size - some)),
                "slice(" + from + "), slice={" + range(of, d, some, size) + "}");
        String start =
            line(
                shape(type, with(of, d, some)),
                "slice(" + from + "), slice={" + range(of, d, 0, some) + "}");
        add(type, isOfRow, "concatenate(" + end + ", " + start + "), dimensions={" + d + "}");
      }
      case 3 -> { // spreads every other element
        String with = line(type + "[]", constant(type, 0));
        int half = (size + 1) / 2;
        String part =
            line(
                shape(type, with(of, d, half)),
                "slice("
                    + name(isOfRow)
                    + "), slice={"
                    + each(of, ", ", k -> "[0:" + of.get(k) + (k == d ? ":2]" : "]"))
                    + "}");
        String padding = each(of, "x", k -> k == d ? "0_" + (size - 2 * half + 1) + "_1" : "0_0");
        add(type, isOfRow, "pad(" + part + ", " + with + "), padding=" + padding);
      }
      case 4 -> { // transposes
        List<Integer> order = new ArrayList<>(IntStream.range(0, of.size()).boxed().toList());
        Collections.shuffle(order, random);
        Integer[] from = new Integer[of.size()];
        for (int k = 0; k < from.length; k++) {
          from[order.get(k)] = of.get(k);
        }
        String operand = parameter(type, List.of(from));
        add(type, isOfRow, "transpose(" + operand + "), dimensions=" + braces(order));
      }
      case 5 -> { // reshapes
        int count = of.stream().reduce(1, (a, b) -> a * b);
        List<Integer> from = random.nextBoolean() ? List.of(count) : List.of(size, count / size);
        add(type, isOfRow, "reshape(" + parameter(type, from) + ")");
      }
      case 6 -> { // cuts with steps
        int[] steps = of.stream().mapToInt(_ -> 1 + random.nextInt(6) / 4).toArray();
        int[] starts = of.stream().mapToInt(_ -> random.nextInt(3)).toArray();
        List<Integer> from =
            IntStream.range(0, of.size())
                .mapToObj(k -> starts[k] + (of.get(k) - 1) * steps[k] + 1 + random.nextInt(2))
                .toList();
        String ranges =
            each(
                of,
                ", ",
                k ->
                    "["
                        + starts[k]
                        + ":"
                        + (starts[k] + (of.get(k) - 1) * steps[k] + 1)
                        + ":"
                        + steps[k]
                        + "]");
        add(type, isOfRow, "slice(" + parameter(type, from) + "), slice={" + ranges + "}");
      }
      case 7 -> { // cuts at a place that is computed
        List<Integer> from = of.stream().map(k -> k + random.nextInt(4)).toList();
        String operand = parameter(type, from);
        String place = parameter("s32", List.of());
        add(
            type,
            isOfRow,
            "dynamic-slice("
                + operand
                + each(of, "", _ -> ", " + place)
                + "), dynamic_slice_sizes="
                + braces(of));
      }
      case 8 -> { // repeats
        List<Integer> dimensions =
            IntStream.range(0, of.size()).filter(_ -> random.nextBoolean()).boxed().toList();
        String operand = parameter(type, dimensions.stream().map(of::get).toList());
        add(type, isOfRow, "broadcast(" + operand + "), dimensions=" + braces(dimensions));
      }
      default -> { // gathers, more seldom
        String operand = parameter(type, with(of, 0, 5));
        String indices = parameter("s32", List.of(of.get(0)));
        add(
            type,
            isOfRow,
            "gather("
                + operand
                + ", "
                + indices
                + "), offset_dims="
                + braces(IntStream.range(1, of.size()).boxed().toList())
                + ", collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,"
                + " slice_sizes="
                + braces(with(of, 0, 1)));
      }
    }
  }

  private String range(List<Integer> of, int dimension, int from, int to) {
    return each(
        of, ", ", k -> k == dimension ? "[" + from + ":" + to + "]" : "[0:" + of.get(k) + "]");
  }

  // ---- ops on elements

  private void unary(boolean isOfRow) {
    List<String> ops =
        type.equals("pred") || type.startsWith("u")
            ? List.of("not")
            : isComplex()
                ? List.of("negate")
                : isFloat()
                    ? List.of("abs", "negate", "sign", "exponential", "tanh", "sqrt", "logistic")
                    : List.of("abs", "negate", "sign");
    String op = pick(ops);
    String of = name(isOfRow);
    String shape = shape(type, sizes(isOfRow));
    if (op.equals("exponential")) { // of what is not positive
      of = line(shape, "negate(" + line(shape, "abs(" + of + ")") + ")");
    } else if (op.equals("sqrt")) {
      of = line(shape, "abs(" + of + ")");
    }
    add(type, isOfRow, op + "(" + of + ")");
  }

  private void binary(boolean isOfRow) {
    List<String> ops =
        type.equals("pred")
            ? List.of("and", "or", "xor")
            : isComplex()
                ? List.of("add", "subtract", "multiply")
                : List.of("add", "subtract", "multiply", "maximum", "minimum");
    add(type, isOfRow, pick(ops) + "(" + name(isOfRow) + ", " + name(isOfRow) + ")");
  }

  /** Reduces all elements up to each along a dimension, or from it on. */
  private void accumulated(boolean isOfRow) {
    List<Integer> of = sizes(isOfRow);
    if (!of.isEmpty()) {
      int d = random.nextInt(of.size());
      int size = of.get(d);
      boolean isReverse = random.nextInt(3) == 0;
      String padding = isReverse ? "0_" + (size - 1) : (size - 1) + "_0";
      String window =
          "size="
              + each(of, "x", k -> k == d ? "" + size : "1")
              + " pad="
              + each(of, "x", k -> k == d ? padding : "0_0");
      String operands = name(isOfRow) + ", " + line(type + "[]", constant(type, 0));
      String reducer = pick(reducers()) + "_" + type;
      add(
          type,
          isOfRow,
          "reduce-window(" + operands + "), window={" + window + "}, to_apply=" + reducer);
    }
  }

  private void step() {
    type = random.nextInt(3) == 0 ? other : main;
    boolean isOfRow = random.nextInt(6) == 0;
    switch (random.nextInt(36) / 2) {
      case 0, 1, 2 -> reduced();
      case 3 -> reduced(any("pred", false).name(), "pred", pick(List.of("and", "or")));
      case 4 -> {
        if (!isComplex() && !type.equals("pred")) {
          reducedTogether();
        }
      }
      case 5, 6 -> spread(false);
      case 7 -> {
        String mask = any("pred", isOfRow).name();
        add(type, isOfRow, "select(" + mask + ", " + name(isOfRow) + ", " + name(isOfRow) + ")");
      }
      case 8, 9 -> unary(isOfRow);
      case 10, 11 -> moved();
      case 12 -> {
        converted(any(pick(List.of("s32", main)), isOfRow));
      }
      case 13 -> {
        if (random.nextInt(3) == 0) {
          accumulated(isOfRow);
        }
      }
      default -> binary(isOfRow);
    }
  }

  private HloModule generate(int size, boolean isFused) {
    addParameter(false);
    if (random.nextInt(3) == 0) {
      addParameter(random.nextBoolean());
    }
    while (lines.size() < size) {
      step();
    }
    type = main;
    for (Thing thing : List.copyOf(things)) {
      if (thing.name().startsWith("p") && used.add(thing)) {
        String other = name(thing.isOfRow());
        String op = type.equals("pred") ? "or" : isComplex() ? "add" : "maximum";
        add(type, thing.isOfRow(), op + "(" + thing.name() + ", " + other + ")");
      }
    }
    reduced();
    List<Thing> results = things.stream().filter(thing -> !used.contains(thing)).toList();
    String shapes =
        joined(results.stream().map(each -> shape(each.type(), sizes(each.isOfRow()))).toList());
    String root = "ROOT t = (" + shapes + ") ";
    String body =
        String.join("\n", parameters)
            + "\n"
            + String.join("\n", lines)
            + "\n"
            + root
            + "tuple("
            + joined(results.stream().map(Thing::name).toList())
            + ")\n}\n";
    String entry =
        isFused
            ? "fused {\n"
                + body
                + "ENTRY e {\n"
                + String.join("\n", parameters)
                + "\n"
                + root
                + "fusion("
                + joined(IntStream.range(0, parameters.size()).mapToObj(k -> "p" + k).toList())
                + "), kind=kLoop, calls=fused\n}\n"
            : "ENTRY e {\n" + body;
    String reducers =
        reducer("and", "and", "pred") + reducer("or", "or", "pred") + reducersOf(main);
    reducers += other.equals(main) ? "" : reducersOf(other);
    return Parser.parse("HloModule m\n" + reducers + entry);
  }

  private static String reducersOf(String type) {
    if (type.equals("pred")) {
      return "";
    }
    String all = reducer("sum", "add", type) + reducer("product", "multiply", type);
    return type.startsWith("c")
        ? all
        : all
            + reducer("max", "maximum", type)
            + reducer("min", "minimum", type)
            + """
            digits_T {
              a = T[] parameter(0)
              b = T[] parameter(1)
              c = T[] constant(BASE)
              d = T[] multiply(a, c)
              ROOT r = T[] add(d, b)
            }
            argmax_T {
              a = T[] parameter(0)
              i = s32[] parameter(1)
              b = T[] parameter(2)
              j = s32[] parameter(3)
              c = pred[] compare(a, b), direction=GE
              v = T[] select(c, a, b)
              k = s32[] select(c, i, j)
              ROOT r = (T[], s32[]) tuple(v, k)
            }
            moments_T {
              a = T[] parameter(0)
              i = T[] parameter(1)
              b = T[] parameter(2)
              j = T[] parameter(3)
              v = T[] add(a, b)
              k = T[] maximum(i, j)
              ROOT r = (T[], T[]) tuple(v, k)
            }
            """
                .replace("_T", "_" + type)
                .replace("T[", type + "[")
                .replace("BASE", type.contains("f") ? "0.5" : "3");
  }

  private static String reducer(String name, String op, String type) {
    return ReducePrograms.body(op, type).replaceFirst("body", name + "_" + type);
  }
}
