package org.hlo4j.interpreter.compiled.gemm;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.hlo4j.interpreter.compiled.tiering.WarmupQueue;
import org.jspecify.annotations.Nullable;

/**
 * The products of short rows with one column, for {@link Gemv} and with the same bits. As many rows
 * as a vector has lanes are computed at a time, and their sums never leave the registers.
 */
final class ShortRowGemv {
  /** The number of iterations for each row in the warm-up. */
  private static final int ITERATIONS = 2;

  /**
   * The work that is reported to the warm-up queue: the maximum, since attention consists mostly of
   * such products.
   */
  private static final long MAX_WORK = Long.MAX_VALUE;

  private static final ConcurrentMap<AccumulatorType, CompletableFuture<@Nullable RowSums>> ALL =
      new ConcurrentHashMap<>();

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final int lanes;
  private final Object order;

  ShortRowGemv(AccumulatorType accumulatorType, GemmProblem product, int lanes) {
    this.accumulatorType = accumulatorType;
    this.product = product;
    this.lanes = lanes;
    this.order = HorizontalSumTree.order(accumulatorType, lanes);
  }

  /** {@return whether the vector code is ready} The first call starts its warm-up. */
  boolean isReady() {
    return getIfReady() != null;
  }

  private @Nullable RowSums getIfReady() {
    CompletableFuture<@Nullable RowSums> started =
        ALL.computeIfAbsent(accumulatorType, this::warmUp);
    if (started.isCancelled()) { // the next call asks for it again
      ALL.remove(accumulatorType, started);
    }
    return WarmupQueue.getIfReady(started);
  }

  /** Waits until all vector code that has been asked for is ready or given up. */
  static void await() {
    ALL.values().forEach(CompletableFuture::join);
  }

  private CompletableFuture<@Nullable RowSums> warmUp(AccumulatorType accumulatorType) {
    return WarmupQueue.start(
        null, () -> RowSumsCode.of(accumulatorType, lanes), this::warmup, () -> MAX_WORK);
  }

  private WarmupInput<RowSums> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int steps = ITERATIONS * Gemv.LANES;
    int rows = WarmupInput.ITERATIONS * lanes;
    Object a = copies.allocate(rows * steps);
    Object b = copies.allocate(steps);
    Object to = copies.allocate(rows);
    return (sums, iterations) ->
        sums.run(
            a,
            0,
            steps,
            b,
            0,
            ITERATIONS,
            to,
            0,
            iterations > 0 ? iterations : iterations - 1,
            order);
  }

  /**
   * Computes some rows of the result, from {@code first} on, and returns their number: all but
   * fewer than a vector has lanes, or none as long as the vector code is not ready.
   */
  int run(GemmMatrices matrices, Object column, int columnStart, int first, int rows) {
    RowSums sums = getIfReady();
    if (sums == null) {
      return 0;
    }
    int groups = rows / lanes;
    sums.run(
        matrices.a(),
        matrices.aBase() + product.rowsA().at(first),
        product.rowsA().stride(),
        column,
        columnStart,
        product.k() / Gemv.LANES,
        matrices.c(),
        matrices.cBase() + product.rowsC().at(first),
        groups,
        order);
    return groups * lanes;
  }
}
