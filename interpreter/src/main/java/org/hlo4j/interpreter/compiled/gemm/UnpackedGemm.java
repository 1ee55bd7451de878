package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** Products of small row-major matrices. Their tiles read both sides in place. */
final class UnpackedGemm {
  private static final double MAX_WORK = 1 << 18;
  private static final int MIN_LANES = 4;
  private static final int MAX_VECTORS = 4;

  /**
   * The maximum for a single row. It has more accumulators, since each has to wait for its previous
   * multiply-add.
   */
  private static final int MAX_VECTORS_OF_ROW = 8;

  private static final double ON_ONE_THREAD = 100_000;

  private final GemmProblem product;
  private final MicroKernelShape form;
  private final @Nullable MicroKernel[][] tiles;

  private UnpackedGemm(GemmProblem product, MicroKernelShape form) {
    this.product = product;
    this.form = form;
    this.tiles = new @Nullable MicroKernel[form.rows() + 1][form.vectors() + 1];
  }

  /** {@return the computation of a product of this kind, otherwise null} */
  static @Nullable UnpackedGemm of(AccumulatorType carrier, GemmProblem product) {
    double each = product.work() / Math.max(1, product.batches());
    if (!fits(product)
        || product.work() <= Gemm.SMALL
        || each > MAX_WORK
        || !VectorSupport.isOn()) {
      return null;
    }
    int lanes = lanes(carrier, product.columns());
    return product.columns() % lanes == 0 ? of(carrier, product, lanes, MAX_VECTORS) : null;
  }

  private static UnpackedGemm of(
      AccumulatorType carrier, GemmProblem product, int lanes, int most) {
    int rows = Math.ceilDiv(product.rows(), Math.ceilDiv(product.rows(), MicroKernelSet.ROWS));
    int vectors = Math.min(most, product.columns() / lanes);
    int stepStride = product.stepsA().stride();
    return new UnpackedGemm(
        product, new MicroKernelShape(carrier, lanes, rows, vectors, stepStride, false, 0, 1));
  }

  /**
   * {@return the computation of a small product of this kind, with vectors that are short enough
   * for its rows; otherwise null}
   */
  static @Nullable UnpackedGemm ofSmall(AccumulatorType carrier, GemmProblem product) {
    if (!fits(product) || !VectorSupport.isOn()) {
      return null;
    }
    int lanes = lanes(carrier, product.columns());
    while (product.columns() % lanes != 0 && lanes > MIN_LANES) {
      lanes /= 2;
    }
    int most = product.rows() == 1 ? MAX_VECTORS_OF_ROW : MAX_VECTORS;
    return product.columns() % lanes == 0 ? of(carrier, product, lanes, most) : null;
  }

  /**
   * {@return the lanes of the widest vectors, or of narrower ones for rows shorter than a vector}
   */
  private static int lanes(AccumulatorType carrier, int columns) {
    int lanes = VectorSupport.bits() / carrier.bits();
    while (lanes > columns && lanes > MIN_LANES) {
      lanes /= 2;
    }
    return lanes;
  }

  private static boolean fits(GemmProblem product) {
    return product.rowsA().hasConstantStride()
        && product.isEven()
        && product.stepsA().stride() >= 0
        && product.k() <= KBlocks.MAX
        && product.columnsB().isContiguous()
        && product.columnsC().isContiguous()
        && product.rowsC().hasConstantStride()
        && (product.rows() == 1 || product.rowsC().stride() == product.stepsB().stride());
  }

  /**
   * {@return whether all tiles that the product needs are ready} Starts the warm-up of those that
   * are not.
   */
  boolean isReady() {
    boolean all = true;
    for (int rows : new int[] {form.rows(), product.rows() % form.rows()}) {
      for (int columns : new int[] {form.width(), product.columns() % form.width()}) {
        int vectors = columns / form.lanes();
        if (rows > 0 && vectors > 0 && tiles[rows][vectors] == null) {
          tiles[rows][vectors] = MicroKernels.ready(form.part(rows, vectors));
          all &= tiles[rows][vectors] != null;
        }
      }
    }
    return all;
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    double each = product.work() / product.batches();
    RowPieces cuts = RowPieces.of(product.batches(), 1 + (int) (ON_ONE_THREAD / each));
    ParallelChunks.run(
        context,
        false,
        cuts.count(),
        chunk -> {
          context.checkLimits();
          for (int batch = cuts.start(chunk); batch < cuts.end(chunk); batch++) {
            run(GemmMatrices.of(product, a, b, c, finish, batch));
          }
        });
  }

  /** Computes one matrix. All tiles have to be ready. */
  void run(GemmMatrices matrices) {
    int apart = product.stepsB().stride();
    for (int i = 0; i < product.rows(); i += form.rows()) {
      int rows = Math.min(form.rows(), product.rows() - i);
      int left = matrices.aBase() + i * product.rowsA().stride();
      int to = matrices.cBase() + i * apart;
      for (int j = 0; j < product.columns(); j += form.width()) {
        int vectors = Math.min(form.width(), product.columns() - j) / form.lanes();
        Objects.requireNonNull(tiles[rows][vectors])
            .run(
                matrices.a(),
                left,
                product.rowsA().stride(),
                matrices.b(),
                matrices.bBase() + j,
                matrices.c(),
                to + j,
                apart,
                product.k(),
                false);
      }
    }
    matrices.finish(product, 0, product.rows(), 0, product.columns());
  }

  @Override
  public String toString() {
    return "tiles of " + form.rows() + "x" + form.width() + " in place, vectors of " + form.lanes();
  }
}
