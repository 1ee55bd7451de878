package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/**
 * Random fusions, made from a seed, of element-wise ops on rows, reductions of rows, and ops on
 * their results.
 */
final class RandomRows {
  private static final ImmutableList<String> TYPES =
      ImmutableList.of("f32", "f32", "f32", "f64", "bf16", "f16", "s32", "s8", "u8");
  private static final ImmutableList<String> ROWS = ImmutableList.of("3", "8", "13", "40", "64");
  private static final ImmutableList<String> COLUMNS =
      ImmutableList.of("5", "24", "31", "48", "67", "96", "129", "200", "600");

  /** A value of a row, or of each of its elements. */
  private record Thing(String name, String type, boolean isOfRow) {}

  private final Random random;
  private final String type;
  private final String rows;
  private final String columns;
  private final List<Thing> parameters = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final List<Thing> things = new ArrayList<>();
  private final Set<Thing> used = new LinkedHashSet<>();

  private RandomRows(long seed) {
    random = new Random(seed);
    type = pick(TYPES);
    rows = pick(ROWS);
    columns = pick(COLUMNS);
  }

  /** {@return a module of one random fusion of about {@code size} instructions} */
  static HloModule of(long seed, int size) {
    return new RandomRows(seed).generate(size);
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private String shape(String type, boolean isOfRow) {
    return type + (isOfRow ? "[" + rows + "]" : "[" + rows + "," + columns + "]");
  }

  private Thing add(String type, boolean isOfRow, String op) {
    Thing made = new Thing("i" + lines.size(), type, isOfRow);
    lines.add(made.name() + " = " + shape(type, isOfRow) + " " + op);
    things.add(made);
    return made;
  }

  private void parameter(boolean isOfRow) {
    parameters.add(add(type, isOfRow, "parameter(" + parameters.size() + ")"));
  }

  /** {@return an existing value of a type, preferably a recent one, of a row or of its elements} */
  private Thing any(String type, boolean isOfRow) {
    List<Thing> fit =
        things.stream()
            .filter(thing -> thing.isOfRow() == isOfRow && thing.type().equals(type))
            .toList();
    if (fit.isEmpty()) {
      return type.equals("pred") ? compared(isOfRow) : spread(isOfRow);
    }
    int back = Math.min(random.nextInt(3) * random.nextInt(3), fit.size() - 1);
    Thing chosen = fit.get(fit.size() - 1 - back);
    used.add(chosen);
    return chosen;
  }

  private Thing compared(boolean isOfRow) {
    String how = pick(List.of("LT", "GT", "EQ", "NE", "LE", "GE"));
    String operands = any(type, isOfRow).name() + ", " + any(type, isOfRow).name();
    return add("pred", isOfRow, "compare(" + operands + "), direction=" + how);
  }

  /**
   * Broadcasts a value of a row to its elements or, for a value of a row, reduces some elements.
   */
  private Thing spread(boolean isOfRow) {
    return isOfRow
        ? reduced(type)
        : add(type, false, "broadcast(" + any(type, true).name() + "), dimensions={0}");
  }

  private Thing reduced(String type) {
    Thing of = any(type, false);
    boolean isMask = of.type().equals("pred");
    String kind = pick(isMask ? List.of("and", "or") : List.of("sum", "sum", "max", "min"));
    String start = of.type() + "[] constant(" + pick(List.of("0", "1")) + ")";
    lines.add("start" + lines.size() + " = " + start);
    String operands = of.name() + ", start" + (lines.size() - 1);
    return add(of.type(), true, "reduce(" + operands + "), dimensions={1}, to_apply=" + kind);
  }

  private void step() {
    int choice = random.nextInt(12);
    boolean isOfRow = random.nextInt(6) == 0;
    switch (choice) {
      case 0, 1 -> reduced(type);
      case 2 -> reduced(random.nextBoolean() ? "pred" : type);
      case 3 -> spread(false);
      case 4, 5 -> {
        String mask = any("pred", isOfRow).name();
        String operands = any(type, isOfRow).name() + ", " + any(type, isOfRow).name();
        add(type, isOfRow, "select(" + mask + ", " + operands + ")");
      }
      case 6, 7 ->
          add(
              type,
              isOfRow,
              (type.startsWith("u") ? "not" : pick(List.of("abs", "negate", "sign")))
                  + "("
                  + any(type, isOfRow).name()
                  + ")");
      default ->
          add(
              type,
              isOfRow,
              pick(List.of("add", "subtract", "multiply", "maximum", "minimum"))
                  + "("
                  + any(type, isOfRow).name()
                  + ", "
                  + any(type, isOfRow).name()
                  + ")");
    }
  }

  private HloModule generate(int size) {
    for (int k = random.nextInt(2); k >= 0; k--) {
      parameter(false);
    }
    if (random.nextBoolean()) {
      parameter(true);
    }
    while (lines.size() < size) {
      step();
    }
    for (Thing parameter : parameters) {
      if (used.add(parameter)) {
        String other = any(type, parameter.isOfRow()).name();
        add(type, parameter.isOfRow(), "maximum(" + parameter.name() + ", " + other + ")");
      }
    }
    reduced(type);
    List<Thing> results = things.stream().filter(thing -> !used.contains(thing)).toList();
    String shapes =
        joined(results.stream().map(each -> shape(each.type(), each.isOfRow())).toList());
    String root = "ROOT t = (" + shapes + ") ";
    return Parser.parse(
        "HloModule m\n"
            + reducer("sum", "add", type)
            + reducer("max", "maximum", type)
            + reducer("min", "minimum", type)
            + reducer("and", "and", "pred")
            + reducer("or", "or", "pred")
            + "fused {\n"
            + String.join("\n", lines)
            + "\n"
            + root
            + "tuple("
            + joined(results.stream().map(Thing::name).toList())
            + ")\n}\nENTRY e {\n"
            + String.join("\n", lines.subList(0, parameters.size()))
            + "\n"
            + root
            + "fusion("
            + joined(parameters.stream().map(Thing::name).toList())
            + "), kind=kLoop, calls=fused\n}\n");
  }

  private static String reducer(String name, String op, String type) {
    return ReducePrograms.body(op, type).replaceFirst("body", name);
  }

  private static String joined(List<String> parts) {
    return String.join(", ", parts);
  }
}
