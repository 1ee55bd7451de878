package org.hlo4j.hlo.op;

import com.google.common.base.Strings;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/** The explanation of a dot: see {@link Dot#explain}. */
final class DotDrawing {
  private final List<String> columns = new ArrayList<>();
  private final Row left;
  private final Row right;
  private final Row product;
  private final List<String> contracted;

  /** An array and the name of each of its dimensions. */
  private static final class Row {
    private final String title;
    private final Shape.Array shape;
    private final String[] names;

    Row(String title, Shape.Array shape, String[] names) {
      this.title = title;
      this.shape = shape;
      this.names = names;
    }

    String cell(String column) {
      int dimension = List.of(names).indexOf(column);
      return dimension < 0 ? "" : dimension + ":" + shape.sizeText(dimension);
    }

    String indexed() {
      return title + "[" + String.join(", ", names) + "]";
    }
  }

  DotDrawing(Dot dot, Shape.Array lhs, Shape.Array rhs, Shape.Array result) {
    left = new Row("lhs", lhs, new String[lhs.rank()]);
    right = new Row("rhs", rhs, new String[rhs.rank()]);
    product = new Row("result", result, new String[result.rank()]);
    int batch = dot.lhsBatchDims().count();
    Dims lhsFree = dot.lhsFreeDims(lhs.rank());
    Dims rhsFree = dot.rhsFreeDims(rhs.rank());
    int free = batch + lhsFree.count();
    List<String> batchNames = named("b", batch);
    place(batchNames, left, dot.lhsBatchDims());
    place(batchNames, right, dot.rhsBatchDims());
    place(batchNames, product, Dims.range(0, batch));
    List<String> lhsNames = named("i", lhsFree.count());
    place(lhsNames, left, lhsFree);
    place(lhsNames, product, Dims.range(batch, free));
    contracted = named("k", dot.lhsContractingDims().count());
    place(contracted, left, dot.lhsContractingDims());
    place(contracted, right, dot.rhsContractingDims());
    List<String> rhsNames = named("j", rhsFree.count());
    place(rhsNames, right, rhsFree);
    place(rhsNames, product, Dims.range(free, result.rank()));
  }

  private List<String> named(String letter, int count) {
    List<String> names =
        IntStream.range(0, count).mapToObj(i -> count == 1 ? letter : letter + i).toList();
    columns.addAll(names);
    return names;
  }

  private static void place(List<String> names, Row row, Dims dimensions) {
    for (int i = 0; i < names.size(); i++) {
      row.names[dimensions.getInt(i)] = names.get(i);
    }
  }

  @Override
  public String toString() {
    String sum = contracted.isEmpty() ? "" : "sum over " + String.join(", ", contracted) + " of ";
    List<String> lines = new ArrayList<>();
    lines.add(product.indexed() + " = " + sum + left.indexed() + " * " + right.indexed());
    lines.add(line("", column -> column, ""));
    for (Row row : List.of(left, right, product)) {
      lines.add(line(row.title, row::cell, row.shape.toString()));
    }
    return String.join("\n", lines);
  }

  private String line(String title, UnaryOperator<String> cell, String end) {
    String cells =
        columns.stream()
            .map(column -> Strings.padStart(cell.apply(column), width(column), ' '))
            .collect(Collectors.joining());
    return (Strings.padEnd(title, "result".length(), ' ') + cells + "   " + end).stripTrailing();
  }

  private int width(String column) {
    int widest =
        Stream.of(left, right, product).mapToInt(row -> row.cell(column).length()).max().orElse(0);
    return 2 + Math.max(column.length(), widest);
  }
}
