package org.hlo4j.builder.broadcast;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * A drawing of the alignment of operands under a policy, with a column for each dimension of the
 * result.
 *
 * <pre>
 *       dim 0   dim 1
 *   x       2       3
 *   v               2   from the right
 *                   ^
 * </pre>
 */
final class Drawing {
  private static final int MAX_COLUMNS = 16;
  static final int NOWHERE = -1;

  /**
   * An operand and the mapping of its dimensions.
   *
   * @param operand the operand
   * @param to for each of its dimensions, the column
   * @param remark the text after it
   */
  record Row(Operand operand, Dims to, String remark) {
    String cell(int column) {
      int own = to.indexOf(column);
      return own < 0 ? "" : Long.toString(operand.size(own));
    }
  }

  private Drawing() {}

  /** Returns the titles of columns that are named by number. */
  static ImmutableList<String> numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> "dim " + i).collect(toImmutableList());
  }

  /**
   * Returns an exception with a drawing of the operands and a caret under a column, unless they are
   * too many.
   */
  static HloException refusal(
      String label, String summary, List<String> titles, List<Row> rows, int culprit) {
    HloException refusal = new HloException(label, summary);
    return titles.size() > MAX_COLUMNS
        ? refusal
        : refusal.with("alignment", of(titles, rows, culprit));
  }

  static String of(List<String> titles, List<Row> rows, int culprit) {
    List<StringBuilder> lines = new ArrayList<>();
    int nameWidth = rows.stream().mapToInt(row -> row.operand().name().length()).max().orElse(0);
    lines.add(new StringBuilder(" ".repeat(nameWidth)));
    for (Row row : rows) {
      String name = row.operand().name();
      lines.add(new StringBuilder(name).append(" ".repeat(nameWidth - name.length())));
    }
    lines.add(new StringBuilder(" ".repeat(nameWidth)));
    for (int column = 0; column < titles.size(); column++) {
      append(lines, cells(titles, rows, column, culprit));
    }
    for (int i = 0; i < rows.size(); i++) {
      lines.get(i + 1).append("   ").append(rows.get(i).remark());
    }
    return lines.stream()
        .map(line -> line.toString().stripTrailing())
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static List<String> cells(List<String> titles, List<Row> rows, int column, int culprit) {
    List<String> cells = new ArrayList<>();
    cells.add(titles.get(column));
    rows.forEach(row -> cells.add(row.cell(column)));
    cells.add(column == culprit ? "^" : "");
    return cells;
  }

  private static void append(List<StringBuilder> lines, List<String> cells) {
    int width = 3 + cells.stream().mapToInt(String::length).max().orElse(0);
    for (int i = 0; i < cells.size(); i++) {
      lines.get(i).append(" ".repeat(width - cells.get(i).length())).append(cells.get(i));
    }
  }
}
