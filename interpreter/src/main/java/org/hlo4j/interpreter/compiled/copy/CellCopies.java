package org.hlo4j.interpreter.compiled.copy;

import java.lang.invoke.MethodHandles;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.PrimitiveSpecializer;
import org.hlo4j.interpreter.engine.Pieces;

/** Loops that copy the cells of one kind of primitive array. A complex number is two cells. */
public abstract class CellCopies {
  private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
  private static final ConcurrentMap<Class<?>, CellCopies> ALL = new ConcurrentHashMap<>();

  /** The minimum length of a run that is copied by System.arraycopy. */
  private static final int LONG_RUN = 24;

  /**
   * The number of rows and columns of a tile of a transpose, chosen so that it fits the L1 cache.
   */
  static final int TILE = 32;

  /** Returns the loops for arrays of an element type. */
  public static CellCopies of(ElementType type) {
    return of(Storages.component(type.componentType()));
  }

  /** Returns the loops for arrays of a primitive type. */
  public static CellCopies of(Class<?> component) {
    return ALL.computeIfAbsent(
        component,
        type -> (CellCopies) PrimitiveSpecializer.instance(LOOKUP, FloatCellCopies.class, type));
  }

  /** Returns a new array. */
  public abstract Object newArray(int length);

  /**
   * Copies a part of a grid whose first cells are at positions f and t. Of each run, it copies
   * {@code run} cells.
   */
  final void copy(
      CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t) {
    if (run >= LONG_RUN) {
      longRuns(grid, rows, columns, run, from, f, to, t);
    } else if (run > 1) {
      runs(grid, rows, columns, run, from, f, to, t);
    } else if (grid.isTranspose()) {
      transpose(grid, rows, columns, from, f, to, t);
    } else if (grid.fromColumn() == 0 && grid.toColumn() == 1) {
      fill(grid, rows, columns, from, f, to, t);
    } else {
      lines(grid, rows, columns, from, f, to, t);
    }
  }

  private void transpose(
      CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    if (!SquareTransposes.of(to).transpose(this, grid, rows, columns, from, f, to, t)) {
      tiles(grid, rows, columns, from, f, to, t);
    }
  }

  final void tiles(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t) {
    for (int column = 0; column < columns; column += TILE) {
      int width = Math.min(TILE, columns - column);
      for (int row = 0; row < rows; row += TILE) {
        int source = f + row + column * grid.fromColumn();
        int target = t + row * grid.toRow() + column;
        tile(grid, Math.min(TILE, rows - row), width, from, source, to, target);
      }
    }
  }

  /** {@code to[t + r * toRow + c] = from[f + r + c * fromColumn]} */
  public abstract void tile(
      CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t);

  /**
   * Copies runs by System.arraycopy, which is several times as fast if C2 knows the type of the
   * arrays.
   */
  abstract void longRuns(
      CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t);

  abstract void runs(
      CopyGrid grid, int rows, int columns, int run, Object from, int f, Object to, int t);

  abstract void lines(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t);

  /** {@code to[t + r * toRow + c] = from[f + r * fromRow]} */
  abstract void fill(CopyGrid grid, int rows, int columns, Object from, int f, Object to, int t);

  /** Gathers cells: {@code to[t + i * step] = from[at[i]]} for i below count. */
  public abstract void gather(Object from, int[] at, int count, Object to, int t, int step);

  /** Gathers cells at all positions, in pieces. */
  public final void gatherAll(Object from, int[] at, Object to, int t, int step) {
    new Pieces(0, at.length)
        .run((first, end) -> {
          int[] piece = end - first == at.length ? at : Arrays.copyOfRange(at, first, end);
          gather(from, piece, piece.length, to, t + first * step, step);
        });
  }

  /**
   * Scatters cells: {@code to[at[i]] = from[f + i]} for i from first to end, exclusive, in order,
   * except where {@code at[i]} is negative.
   */
  public abstract void scatter(Object from, int f, int first, int end, Object to, int[] at);
}
