package org.hlo4j.builder.broadcast;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.builder.DimensionName;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/** The policy in which dimensions of the same name are the same dimension. */
record ByName() implements Rule {
  /** A named dimension of an operand. */
  private record Named(Operand operand, DimensionName name, long size) {}

  private static final None NONE = new None();

  private static boolean isUnnamed(Operand operand) {
    return operand.dimensionNames().stream().allMatch(Optional::isEmpty);
  }

  @Override
  public Attempt attempt(ImmutableList<Operand> operands) {
    if (operands.stream().allMatch(ByName::isUnnamed)
        && NONE.attempt(operands).refusal().isEmpty()) {
      return NONE.attempt(operands);
    }
    Map<String, Named> first = new LinkedHashMap<>();
    for (Operand operand : operands) {
      for (int i = 0; i < operand.rank(); i++) {
        Optional<DimensionName> name = operand.dimensionNames().get(i);
        if (name.isEmpty()) {
          return Attempt.refused(unnamed(operand, i));
        }
        Named named = new Named(operand, name.orElseThrow(), operand.size(i));
        Named other = first.putIfAbsent(named.name().name(), named);
        if (other != null && other.size() != named.size()) {
          return Attempt.refused(clash(operands, other, named));
        }
      }
    }
    List<String> order = order(operands, List.copyOf(first.keySet()));
    long[] sizes =
        order.stream().mapToLong(name -> requireNonNull(first.get(name)).size()).toArray();
    return Attempt.placed(
        Dims.of(sizes), operands.stream().map(operand -> dimensions(operand, order)).toList());
  }

  /**
   * Returns the order of the result's dimensions: that of the first operand that has all names,
   * else that of first appearance.
   */
  private static List<String> order(List<Operand> operands, List<String> appearance) {
    return operands.stream()
        .filter(operand -> operand.rank() == appearance.size())
        .findFirst()
        .map(ByName::names)
        .orElse(appearance);
  }

  private static List<String> names(Operand operand) {
    return operand.dimensionNames().stream()
        .map(name -> name.map(DimensionName::name).orElse(""))
        .toList();
  }

  private static Dims dimensions(Operand operand, List<String> order) {
    return Dims.of(names(operand).stream().mapToLong(order::indexOf).toArray());
  }

  private HloException unnamed(Operand operand, int dimension) {
    String got =
        names(operand).stream()
            .map(name -> name.isEmpty() ? "?" : name)
            .collect(joining(", ", "(", ")"));
    return new HloException(
            "by-name M1",
            String.format(
                "cannot broadcast %s by %s: names of its dimensions got %s, want one for dimension"
                    + " %s as well",
                operand.name(), this, got, dimension))
        .with("fits", "fits: " + operand.name() + ".named(" + example(operand) + ")");
  }

  private static String example(Operand operand) {
    List<String> names = names(operand);
    return IntStream.range(0, operand.rank())
        .mapToObj(i -> names.get(i).isEmpty() ? "\"...\"" : "\"" + names.get(i) + "\"")
        .collect(joining(", "));
  }

  private HloException clash(List<Operand> operands, Named one, Named other) {
    String summary =
        String.format(
            "cannot broadcast %s with %s by %s: dimension %s has size %s in %s and size %s in %s,"
                + " want one size for a name",
            one.operand().name(),
            other.operand().name(),
            this,
            one.name().name(),
            one.size(),
            origin(one),
            other.size(),
            origin(other));
    List<Operand> both =
        operands.stream()
            .filter(o -> o.equals(one.operand()) || o.equals(other.operand()))
            .toList();
    List<String> titles = new ArrayList<>();
    both.forEach(
        operand -> names(operand).stream().filter(n -> !titles.contains(n)).forEach(titles::add));
    List<Row> rows =
        both.stream().map(operand -> new Row(operand, drawn(operand, titles), "")).toList();
    List<String> headings = titles.stream().map(name -> name.isEmpty() ? "?" : name).toList();
    return Drawing.refusal(
        "by-name M2", summary, headings, rows, titles.indexOf(one.name().name()));
  }

  private static Dims drawn(Operand operand, List<String> titles) {
    return dimensions(operand, titles);
  }

  private static String origin(Named dimension) {
    return dimension.operand().name()
        + dimension.name().origin().map(line -> " (named at " + line + ")").orElse("");
  }

  @Override
  public String toString() {
    return "byName()";
  }
}
