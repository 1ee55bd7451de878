package org.hlo4j.interpreter.compiled.fft;

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
final class FourSteps implements Transform {
  /** The numbers of a block of columns of a long line, which stays in the cache. */
  private static final int BLOCK_NUMBERS = 1 << 14;

  private static final int MIN_BLOCK = 32;

  /** The length from which on threads share a line. */
  private static final int MIN_SHARED = 1 << 12;

  private final int rows;
  private final int columns;
  private final SmoothColumns first;
  private final SmoothColumns second;

  /** The twiddle factors, in row-major order. */
  private final FftGrid factors;

  private final int block;
  private final int secondBlock;

  FourSteps(int length) {
    this.rows = Lengths.rows(length);
    this.columns = length / rows;
    this.block = block(rows, columns);
    this.secondBlock = block(columns, rows);
    this.first = new SmoothColumns(rows);
    this.second = new SmoothColumns(columns);
    FftGrid roots = Roots.all(length);
    this.factors =
        AlignedSlab.table(
            length,
            columns,
            i -> {
              int root = i / columns * (i % columns);
              return new double[] {roots.re(root), roots.im(root)};
            });
  }

  @Override
  public int length() {
    return rows * columns;
  }

  private static int block(int rows, int columns) {
    boolean isShared = (long) rows * columns >= MIN_SHARED;
    return isShared ? Math.min(columns, Math.max(MIN_BLOCK, BLOCK_NUMBERS / rows)) : columns;
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int lines, FftWorkspace workspace) {
    FftGrid transposed = workspace.grid(FftWorkspace.Purpose.TRANSPOSED, columns, rows);
    for (int line = 0; line < lines; line++) {
      FftGrid source = from.offset(line * from.stride()).withStride(columns);
      FftGrid target = to.offset(line * to.stride()).withStride(rows);
      workspace.share(
          columns,
          block,
          (own, at, end) -> {
            FftGrid matrix = own.grid(FftWorkspace.Purpose.ROWS, rows, end - at);
            first.apply(source.offset(at), matrix, end - at, factors.offset(at), own);
            matrix.transpose(transposed.offset(at * rows), rows, end - at);
          });
      workspace.share(
          rows,
          secondBlock,
          (own, at, end) -> second.apply(transposed.offset(at), target.offset(at), end - at, own));
    }
  }
}
