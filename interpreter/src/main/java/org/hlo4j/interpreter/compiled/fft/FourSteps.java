package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.engine.Limits;

/**
 * The transform of contiguous lines by the four-step algorithm. A line is a matrix whose columns
 * are transformed, multiplied by twiddle factors, transposed, and transformed again.
 *
 * <pre>
 * n = rows * columns, j = j1 columns + j2, k = k1 + k2 rows
 * transposed[j2][k1] = e^(-2 pi i j2 k1 / n) sum over j1 of line[j1][j2] e^(-2 pi i j1 k1 / rows)
 * result[k2][k1] = sum over j2 of transposed[j2][k1] e^(-2 pi i j2 k2 / columns)
 * </pre>
 */
final class FourSteps implements LineTransform {
  private static final int NUMBERS = 1 << 10;

  /** The numbers of a block of columns of a long line, which stays in the cache. */
  private static final int BLOCK_NUMBERS = 1 << 15;

  private static final int MIN_BLOCK = 32;

  final int rows;
  final int columns;
  final SmoothColumns first;
  final SmoothColumns second;

  /** The twiddle factors, in row-major order. */
  final FftGrid factors;

  private final int block;

  FourSteps(int length) {
    this.rows = Lengths.rows(length);
    this.columns = length / rows;
    this.block = Math.min(columns, Math.max(MIN_BLOCK, BLOCK_NUMBERS / rows));
    this.first = new SmoothColumns(rows);
    this.second = new SmoothColumns(columns);
    this.factors = AlignedSlab.table(length, columns);
    FftGrid roots = Roots.all(length);
    for (int k1 = 0; k1 < rows; k1++) {
      Limits.checkCurrent();
      for (int j2 = 0; j2 < columns; j2++) {
        int root = k1 * j2;
        factors.set(k1 * columns + j2, roots.re(root), roots.im(root));
      }
    }
  }

  @Override
  public int length() {
    return rows * columns;
  }

  @Override
  public int batchSize() {
    return Math.max(1, NUMBERS / length());
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    FftGrid transposed = workspace.grid(FftWorkspace.Purpose.TRANSPOSED, columns, rows);
    for (int line = 0; line < lines; line++) {
      FftGrid source = from.offset(line * from.stride()).withStride(columns);
      FftGrid target = to.offset(line * to.stride()).withStride(rows);
      for (int at = 0; at < columns; at += block) {
        int count = Math.min(block, columns - at);
        FftGrid matrix = workspace.grid(FftWorkspace.Purpose.ROWS, rows, count);
        first.apply(source.offset(at), matrix, count, factors.offset(at), workspace);
        matrix.transpose(transposed.offset(at * rows), rows, count);
      }
      second.apply(transposed, target, rows, workspace);
    }
  }
}
