package org.hlo4j.interpreter.compiled.dots;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * The columns of a {@link RowProduct} as its tiles read them: a few at a time, as many elements of
 * each in turn as a {@link Stretch} has lanes; one that is alone, and contiguous, where it lies.
 */
final class LaneColumns {
  /**
   * With more of them, tiles would have fewer rows, and memory is read faster with four than two.
   */
  private static final int MOST_AT_ONCE = 2;

  private final Product product;
  private final ImmutableList<Stretch> stretches;
  private final int atOnce;

  /** Of columns whose elements are evenly apart. */
  LaneColumns(Product product, ImmutableList<Stretch> stretches) {
    this.product = product;
    this.stretches = stretches;
    int groups = Math.ceilDiv(product.columns(), MOST_AT_ONCE);
    this.atOnce = Math.ceilDiv(product.columns(), groups);
  }

  /** How many at a time. */
  int atOnce() {
    return atOnce;
  }

  int groups() {
    return Math.ceilDiv(product.columns(), atOnce);
  }

  /** How many of a group. */
  int count(int group) {
    return Math.min(atOnce, product.columns() - group * atOnce);
  }

  /** Whether the only column of a product is read where it lies. */
  static boolean areInPlace(Product product) {
    return product.columns() == 1 && product.stepsB().isContiguous();
  }

  /** How many elements {@link #pack} writes. */
  int size() {
    return product.batches() * product.columns() * steps();
  }

  /** How many steps are packed. */
  private int steps() {
    return stretches.getLast().end();
  }

  /** Where a group begins, with so many steps before it. */
  int place(int batch, int group, int step) {
    if (areInPlace(product)) {
      return product.batchesB().at(batch) + product.columnsB().at(0) + step;
    }
    int before = batch * product.columns() + group * atOnce;
    return before * steps() + step * count(group);
  }

  void pack(Movement movement, Object from, Object to, KernelContext context) {
    Chunks.run(
        context,
        product.batches() == 1,
        product.batches(),
        batch -> {
          for (int group = 0; group < groups(); group++) {
            for (Stretch stretch : stretches) {
              pack(movement, from, to, batch, group, stretch);
            }
          }
        });
  }

  private void pack(
      Movement movement, Object from, Object to, int batch, int group, Stretch stretch) {
    int stride = product.stepsB().stride();
    int lanes = stretch.lanes();
    int turns = stretch.turns();
    Positions rows = Positions.even(turns, lanes * stride);
    Part column = new Part(rows, 0, turns, Positions.even(lanes, stride), 0, lanes);
    for (int x = 0; x < count(group); x++) {
      int first = product.columnsB().at(group * atOnce + x) + stretch.start() * stride;
      int base = product.batchesB().at(batch) + first;
      int start = place(batch, group, stretch.start()) + x * lanes;
      movement.gather(from, base, column, to, start, count(group) * lanes);
    }
  }
}
