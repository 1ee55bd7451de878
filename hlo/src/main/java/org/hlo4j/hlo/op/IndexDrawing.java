package org.hlo4j.hlo.op;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/**
 * A textual description of the dimension mapping of a gather or scatter.
 *
 * <pre>
 *   operand         dim 0   dim 1
 *   size                3       4
 *   window              1       4
 *   starts at        v[0]       0
 *   result dim          -       1
 *   start_indices   dim 0   dim 1
 *   size                5       1
 *   result dim          0       v
 *   result[b0, w1] = operand[v[0], w1] with v = start_indices[b0, :]
 * </pre>
 *
 * @param mapping how the index vectors map to the array
 * @param windows the array that contains all windows: the result of a gather, the updates of a
 *     scatter
 * @param windowDims its window dimensions
 */
record IndexDrawing(IndexMapping mapping, Shape.Array windows, Dims windowDims) {
  String gather(Dims sizes) {
    return String.format(
        "gather of windows of %s at the vectors v of %s\n%s\nresult%s = operand%s with v = %s",
        mapping.array(),
        mapping.indices(),
        table("operand", "result dim", sizes),
        windowIndex(),
        arrayIndex(),
        vector());
  }

  String scatter(Dims sizes) {
    return String.format(
        "scatter of windows into %s at the vectors v of %s\n%s\n"
            + "result[i] = to_apply(input[i], updates%s) for i = %s with v = %s",
        mapping.array(),
        mapping.indices(),
        table("input", "updates dim", sizes),
        windowIndex(),
        arrayIndex(),
        vector());
  }

  private String table(String array, String target, Dims sizes) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row(array, mapping.array().rank(), d -> "dim " + d));
    rows.add(row("size", mapping.array().rank(), mapping.array()::sizeText));
    rows.add(row("window", mapping.array().rank(), d -> Long.toString(sizes.get(d))));
    rows.add(row("starts at", mapping.array().rank(), this::start));
    rows.add(row(target, mapping.array().rank(), this::windowTarget));
    rows.add(row(mapping.indicesName(), mapping.indices().rank(), d -> "dim " + d));
    rows.add(row("size", mapping.indices().rank(), mapping.indices()::sizeText));
    rows.add(row(target, mapping.indices().rank(), this::vectorTarget));
    return aligned(rows);
  }

  private static List<String> row(String title, int columns, IntFunction<String> cell) {
    List<String> row = new ArrayList<>(List.of(title));
    IntStream.range(0, columns).mapToObj(cell).forEach(row::add);
    return row;
  }

  private static String aligned(List<List<String>> rows) {
    return rows.stream()
        .map(row -> {
          StringBuilder line = new StringBuilder("  ");
          for (int i = 0; i < row.size(); i++) {
            String padding = " ".repeat(width(rows, i) - row.get(i).length());
            line.append(i == 0 ? row.get(i) + padding : "   " + padding + row.get(i));
          }
          return line.toString().stripTrailing();
        })
        .collect(Collectors.joining("\n"));
  }

  private static int width(List<List<String>> rows, int column) {
    return rows.stream()
        .filter(row -> column < row.size())
        .mapToInt(row -> row.get(column).length())
        .max()
        .orElse(0);
  }

  /** Returns the start of a window in a dimension of the array. */
  private String start(int dimension) {
    int number = mapping.map().dims().indexOf(dimension);
    int batch = mapping.batching().dims().indexOf(dimension);
    if (batch >= 0) {
      return "b" + vectorTarget(mapping.indicesBatching().dims().getInt(batch));
    }
    return number < 0 ? "0" : "v[" + number + "]";
  }

  private String windowTarget(int dimension) {
    int place = mapping.windowDims().indexOf(dimension);
    return place < 0 ? "-" : Long.toString(windowDims.get(place));
  }

  private String vectorTarget(int dimension) {
    Dims counting = Dims.range(0, windows.rank()).without(windowDims);
    int place = mapping.vectorsDims().indexOf(dimension);
    return place < 0 ? "v" : Long.toString(counting.get(place));
  }

  private String windowIndex() {
    return bracketed(windows.rank(), d -> (windowDims.contains(d) ? "w" : "b") + d);
  }

  private String arrayIndex() {
    return bracketed(
        mapping.array().rank(),
        d -> {
          String within = windowTarget(d).equals("-") ? "" : "w" + windowTarget(d);
          if (within.isEmpty()) {
            return start(d);
          }
          return start(d).equals("0") ? within : start(d) + " + " + within;
        });
  }

  private String vector() {
    return mapping.indicesName()
        + bracketed(
            mapping.indices().rank(),
            d -> d == mapping.indexVectorDim() ? ":" : "b" + vectorTarget(d));
  }

  private static String bracketed(int rank, IntFunction<String> part) {
    return IntStream.range(0, rank).mapToObj(part).collect(Collectors.joining(", ", "[", "]"));
  }
}
