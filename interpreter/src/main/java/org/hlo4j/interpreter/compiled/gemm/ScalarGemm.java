package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import java.util.stream.IntStream;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.GemmPlan.Packing;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A product by plain loops, in the same order of operations as by tiles. Small matrices are not
 * packed: four sums at a time are computed, block by block. Other loops are those that C2
 * vectorizes.
 */
final class ScalarGemm {
  private static final int ENOUGH_CHUNKS = 8;
  private static final int UNIT = 4;
  private static final int MIN_ROWS = 64;
  private static final int MIN_COLUMNS = 128;

  /** The number of columns whose sums are computed together, if the product is small. */
  private static final int SUMS_AT_ONCE = 4;

  /**
   * With at most so many columns, loops over columns are short; if there are more rows, loops over
   * rows are longer.
   */
  private static final int FEW_COLUMNS = 64;

  private final AccumulatorType accumulatorType;

  /** Whether rows and columns are exchanged. */
  private final boolean isTransposed;

  private final boolean isSmall;

  /** The product as it is computed. */
  private final GemmProblem product;

  private final KBlocks kBlocks;

  /** The products of the blocks of steps, if matrices are small. */
  private final ImmutableList<GemmProblem> blocks;

  ScalarGemm(GemmConfig config, GemmPlan plan) {
    GemmProblem product = config.product();
    this.accumulatorType = config.accumulatorType();
    this.kBlocks = plan.kBlocks();
    this.isSmall = product.isSmall() || (!plan.hasTiles() && plan.right() == Packing.IN_PLACE);
    this.isTransposed =
        isSmall
            ? product.columns() < SUMS_AT_ONCE
                && product.rows() > product.columns()
                && product.rowsA().hasConstantStride()
                && product.rowsC().hasConstantStride()
            : product.columns() <= FEW_COLUMNS && product.rows() >= 2 * product.columns();
    this.product = isTransposed ? product.transposed() : product;
    this.blocks =
        kBlocks.count() == 1 || !isSmall
            ? ImmutableList.of(this.product)
            : IntStream.range(0, kBlocks.count())
                .mapToObj(block -> {
                  int start = kBlocks.start(block);
                  return this.product.parts(start, 1, kBlocks.end(block) - start);
                })
                .collect(ImmutableList.toImmutableList());
  }

  void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    Object left = isTransposed ? b : a;
    Object right = isTransposed ? a : b;
    Epilogue last = isTransposed ? epilogue.swapped(product.transposed()) : epilogue;
    if (isSmall) {
      runSmall(left, right, c, context, last);
    } else {
      runPacked(left, right, c, context, last);
    }
  }

  private void runSmall(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    double each = Math.max(1, product.work()) / Math.max(1, product.batches());
    new Parallel(context, product.batches(), 1 + (int) (Machine.SCALAR_PRODUCT_GRAIN / each))
        .run((first, end) -> {
          for (int batch = first; batch < end; batch++) {
            GemmMatrices matrices = GemmMatrices.of(product, a, b, c, epilogue, batch);
            for (GemmProblem block : blocks) {
              GemmMatrices part = GemmMatrices.of(block, a, b, c, epilogue, batch);
              GemmArithmetic.of(accumulatorType)
                  .smallGemm(block, part, !block.equals(blocks.get(0)));
            }
            matrices.runEpilogue(product, 0, product.rows(), 0, product.columns());
          }
        });
  }

  private void runPacked(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    int maxColumns = isTransposed ? product.columns() / ENOUGH_CHUNKS : ScalarRows.COLUMNS;
    RowBlocks columns =
        RowBlocks.balanced(
            product.columns(), UNIT, Math.clamp(maxColumns, MIN_COLUMNS, ScalarRows.COLUMNS));
    int maxRows = product.rows() / ENOUGH_CHUNKS * columns.count();
    RowBlocks rows =
        RowBlocks.balanced(product.rows(), UNIT, Math.clamp(maxRows, MIN_ROWS, ScalarRows.ROWS));
    int perBatch = rows.count() * columns.count();
    new Parallel(
            context,
            product.work() >= Machine.MIN_PARALLEL_WORK,
            Math.multiplyExact(perBatch, product.batches()))
        .forEach(chunk -> {
          GemmMatrices matrices = GemmMatrices.of(product, a, b, c, epilogue, chunk / perBatch);
          int i = chunk % rows.count();
          int j = chunk % perBatch / rows.count();
          run(matrices, rows.start(i), rows.end(i), columns.start(j), columns.end(j));
        });
  }

  private void run(GemmMatrices matrices, int i0, int i1, int j0, int j1) {
    ScalarRows rows = ThreadWorkspace.of(accumulatorType).scalarRows();
    MatrixPart result = new MatrixPart(product.rowsC(), i0, i1, product.columnsC(), j0, j1);
    Pieces pieces = new Pieces();
    for (int block = 0; block < kBlocks.count(); block++) {
      int k0 = kBlocks.start(block);
      int k1 = kBlocks.end(block);
      pieces.next((long) (k1 - k0) * (i1 - i0) * (j1 - j0));
      MatrixPart left = new MatrixPart(product.rowsA(), i0, i1, product.stepsA(), k0, k1);
      MatrixPart right = new MatrixPart(product.stepsB(), k0, k1, product.columnsB(), j0, j1);
      rows.multiply(matrices, left, right, result, block > 0);
    }
    matrices.runEpilogue(product, i0, i1, j0, j1);
  }
}
