package org.hlo4j.interpreter.compiled.copy;

import com.google.common.primitives.Ints;
import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.engine.Workers;

/**
 * A copy of a box of elements between two arrays, with different strides in each: {@code to[t + sum
 * of i[d] * toStride[d]] = from[f + sum of i[d] * fromStride[d]]}.
 *
 * <p>Dimensions that are contiguous with each other in both arrays are collapsed first. If the
 * innermost of the remaining dimensions has stride 1 in both arrays, it becomes the run. Two more
 * dimensions, those with the smallest strides in either array, become the rows and columns of a
 * grid of runs. The others are outer loops. Large boxes are cut into blocks of at most 32K cells,
 * which threads share.
 */
public final class BoxCopy {
  private static final int BLOCK = 1 << 15;
  private static final int PARALLEL = 1 << 16;
  private static final int MIN_TRANSPOSE_SIZE = 64;

  /** The numbers of bytes of a row and of a column that a block transposes. */
  private static final int TRANSPOSE_ROW_BYTES = 2048;

  private static final int TRANSPOSE_COLUMN_BYTES = 512;

  /**
   * A dimension: its size, at least 2, and its strides in cells, which an int holds, as both ends
   * of a step are in one array.
   */
  private record Dimension(int size, int from, int to) {}

  private final CellCopies cells;
  private final CopyGrid grid;
  private final Dimension[] outer;
  private final int outerCount;
  private final int shift;
  private final int blockRows;
  private final int blockColumns;
  private final int blockRun;
  private final int blocks;
  private final boolean isParallel;

  private BoxCopy(CellCopies cells, List<Dimension> dimensions, boolean empty) {
    List<Dimension> remaining = new ArrayList<>(dimensions);
    Dimension none = new Dimension(1, 0, 0);
    int last = remaining.size() - 1;
    int run = last >= 0 && isContiguous(remaining.get(last)) ? remaining.remove(last).size() : 1;
    Dimension column = remaining.isEmpty() ? none : remaining.remove(remaining.size() - 1);
    Dimension row = remaining.isEmpty() ? none : remaining.remove(chooseRows(remaining, column));
    this.cells = cells;
    this.grid =
        new CopyGrid(
            row.size(), column.size(), run, row.from(), column.from(), row.to(), column.to());
    this.outer = remaining.toArray(new Dimension[0]);
    int count = 1;
    for (Dimension dimension : outer) {
      count *= dimension.size();
    }
    this.outerCount = empty ? 0 : count;
    this.blockRun = Math.min(run, BLOCK);
    boolean squares =
        grid.isTranspose()
            && row.size() >= MIN_TRANSPOSE_SIZE
            && column.size() >= MIN_TRANSPOSE_SIZE;
    if (squares) {
      SquareTransposes form = SquareTransposes.of(cells.newArray(0));
      this.shift = form.shift();
      this.blockColumns = TRANSPOSE_COLUMN_BYTES / form.bytes();
      this.blockRows = TRANSPOSE_ROW_BYTES / form.bytes();
    } else {
      this.shift = 0;
      this.blockColumns =
          Ints.constrainToRange(
              BLOCK / blockRun / Math.min(MIN_TRANSPOSE_SIZE, row.size()), 1, column.size());
      this.blockRows = Ints.constrainToRange(BLOCK / blockRun / blockColumns, 1, row.size());
    }
    this.blocks =
        Math.ceilDiv(grid.rows() + shift, blockRows)
            * Math.ceilDiv(grid.columns() + shift, blockColumns)
            * Math.ceilDiv(grid.run(), blockRun);
    this.isParallel = (long) outerCount * grid.count() >= PARALLEL;
  }

  /**
   * Returns the plan for a box.
   *
   * @param type the type of the elements
   * @param sizes the sizes of the box
   * @param fromStrides the stride of each dimension in the source
   * @param toStrides the stride of each dimension in the destination, in descending order
   */
  public static BoxCopy of(ElementType type, Dims sizes, Dims fromStrides, Dims toStrides) {
    int cells = type.componentCount();
    List<Dimension> collapsed = new ArrayList<>();
    if (sizes.contains(0)) {
      return new BoxCopy(CellCopies.of(type), collapsed, true);
    }
    for (int i = 0; i < sizes.count(); i++) {
      if (sizes.get(i) > 1) {
        int from = Math.toIntExact(fromStrides.get(i) * cells);
        int to = Math.toIntExact(toStrides.get(i) * cells);
        add(collapsed, new Dimension(sizes.getInt(i), from, to));
      }
    }
    if (cells == 2) {
      add(collapsed, new Dimension(2, 1, 1));
    }
    return new BoxCopy(CellCopies.of(type), collapsed, false);
  }

  /** Returns the plan that copies one element to all of an array. */
  public static BoxCopy fill(ElementType type, long count) {
    return of(type, Dims.of(count), Dims.of(0), Dims.of(1));
  }

  /** Returns the plan that copies a whole array. */
  public static BoxCopy whole(Shape.Array shape) {
    Dims one = Dims.of(1);
    return of(shape.elementType(), Dims.of(shape.elementCount()), one, one);
  }

  /**
   * Adds a dimension. It is collapsed with the previous one if they are contiguous in both arrays.
   */
  private static void add(List<Dimension> collapsed, Dimension next) {
    int last = collapsed.size() - 1;
    if (last >= 0
        && collapsed.get(last).from() == (long) next.from() * next.size()
        && collapsed.get(last).to() == (long) next.to() * next.size()) {
      int size = collapsed.remove(last).size() * next.size();
      collapsed.add(new Dimension(size, next.from(), next.to()));
    } else {
      collapsed.add(next);
    }
  }

  private static boolean isContiguous(Dimension dimension) {
    return dimension.from() == 1 && dimension.to() == 1;
  }

  /**
   * Returns the dimension with the smallest stride in the source, other than the columns; the last
   * dimension if none has a smaller stride than the columns.
   */
  private static int chooseRows(List<Dimension> remaining, Dimension column) {
    int row = remaining.size() - 1;
    int closest = Math.abs(column.from());
    for (int i = remaining.size() - 1; i >= 0; i--) {
      int distance = Math.abs(remaining.get(i).from());
      if (distance > 0 && distance < closest) {
        row = i;
        closest = distance;
      }
    }
    return row;
  }

  /** Returns whether the box is one run of {@code cellCount} cells. */
  public boolean isRun(int cellCount) {
    return outerCount == 1 && grid.run() == cellCount && grid.count() == cellCount;
  }

  /** Copies the box whose first cells are at positions f and t. */
  public void run(Object from, int f, Object to, int t, Workers workers) {
    int total = outerCount * blocks;
    if (total == 1 || !isParallel) {
      run(from, f, to, t);
      return;
    }
    int each = Math.max(1, BLOCK / (blockRows * blockColumns * blockRun));
    workers.run(
        Math.ceilDiv(total, each),
        chunk -> blocks(chunk * each, Math.min(total, (chunk + 1) * each), from, f, to, t));
  }

  /** Copies the box on the caller's thread alone. */
  public void run(Object from, int f, Object to, int t) {
    if (outerCount == 1 && blocks == 1) {
      cells.copy(grid, grid.rows(), grid.columns(), grid.run(), from, f, to, t);
    } else {
      blocks(0, outerCount * blocks, from, f, to, t);
    }
  }

  private void blocks(int first, int end, Object from, int f, Object to, int t) {
    for (int block = first; block < end; ) {
      int number = block / blocks;
      int source = f;
      int target = t;
      for (int d = outer.length - 1; d >= 0; d--) {
        int index = number % outer[d].size();
        number /= outer[d].size();
        source += index * outer[d].from();
        target += index * outer[d].to();
      }
      int within = block % blocks;
      int stop = Math.min(end, block - within + blocks);
      for (; block < stop; block++) {
        block(within++, from, source, to, target);
      }
    }
  }

  private void block(int block, Object from, int f, Object to, int t) {
    if (blocks == 1) {
      cells.copy(grid, grid.rows(), grid.columns(), grid.run(), from, f, to, t);
      return;
    }
    int runs = Math.ceilDiv(grid.run(), blockRun);
    int columns = Math.ceilDiv(grid.columns() + shift, blockColumns);
    int start = block % runs * blockRun;
    int columnEnd = (block / runs % columns + 1) * blockColumns - shift;
    int rowEnd = (block / runs / columns + 1) * blockRows - shift;
    int column = Math.max(0, columnEnd - blockColumns);
    int row = Math.max(0, rowEnd - blockRows);
    cells.copy(
        grid,
        Math.min(rowEnd, grid.rows()) - row,
        Math.min(columnEnd, grid.columns()) - column,
        Math.min(blockRun, grid.run() - start),
        from,
        f + row * grid.fromRow() + column * grid.fromColumn() + start,
        to,
        t + row * grid.toRow() + column * grid.toColumn() + start);
  }

  /** Returns how the box is copied, for plans that are printed. */
  @Override
  public String toString() {
    String form = grid.isTranspose() ? "tiles" : grid.run() > 1 ? "runs of " + grid.run() : "lines";
    return outerCount + " x " + grid.rows() + " x " + grid.columns() + ", " + form;
  }
}
