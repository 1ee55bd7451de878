package org.hlo4j.interpreter.compiled.indexing;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.BodyCode;
import org.hlo4j.interpreter.compiled.expr.GeneratedCode;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * The scalar and the vector form of the loops that apply a computation to rows. Vectors are used
 * once C2 has compiled them.
 */
final class RowScatterLoops implements RowScatterLoop {
  private static final int ENOUGH = 1 << 17;

  /** The least width that fills the shortest vector of any type. */
  private static final int MIN_WIDTH = 8;

  /** The number of vectors of a row that are combined at once. */
  private static final int MOST = 4;

  private final Tiered<RowScatterLoop> tiers;
  private final int width;

  private RowScatterLoops(
      BodyCode body, int width, boolean isSwapped, boolean isInOrder, int most) {
    this.width = width;
    this.tiers =
        Tiered.of(
            RowScatterLoop.class,
            "ScatterRows",
            code -> new RowScatterCode(code, body, isSwapped, isInOrder, most).write(),
            width,
            () -> warmup(body, width),
            ENOUGH);
  }

  /**
   * Returns the loops for rows of a length; empty if the computation has no code.
   *
   * @param isSwapped whether the last parameters of the computation are the elements of the result
   * @param isInOrder whether the loops get one source, from which on rows of one element follow
   */
  static Optional<RowScatterLoops> of(
      HloComputation computation,
      int length,
      boolean isSwapped,
      boolean isInOrder,
      boolean observesNanBits) {
    return BodyCode.of(computation)
        .map(code -> code.withObservableNaNs(observesNanBits))
        .flatMap(body -> {
          int width = width(body, length);
          // As many vectors at once as a row may have and the size of a method allows.
          return Stream.of(isInOrder ? 1 : MOST, 1)
              .map(most ->
                  GeneratedCode.getOrGenerate(
                      RowScatterLoops.class,
                      body,
                      List.of(width, isSwapped, isInOrder, most),
                      known -> new RowScatterLoops(known, width, isSwapped, isInOrder, most)))
              .flatMap(Optional::stream)
              .findFirst();
        });
  }

  /** Returns the width of vectors that are not longer than a row; 1 if there are none. */
  private static int width(BodyCode body, int length) {
    int width = body.isVectorizable() ? Machine.width(body.widestBits()) : 1;
    while (width > length && width > MIN_WIDTH) {
      width /= 2;
    }
    return width <= length ? width : 1;
  }

  private static WarmupInput<RowScatterLoop> warmup(BodyCode body, int width) {
    int maxRows = WarmupInput.ITERATIONS;
    int vectors = 2 * MOST - 1;
    Object[] to = new Object[body.accumulatorCount()];
    Object[] from = new Object[body.accumulatorCount()];
    for (int k = 0; k < to.length; k++) {
      to[k] = Storages.allocate(body.type(k), 2 * vectors * width);
      from[k] = Storages.allocate(body.type(k), 2 * vectors * width);
    }
    int[] at = new int[maxRows];
    return (loops, iterations) ->
        loops.scatter(to, at, from, at, 0, Math.max(0, iterations), 0, vectors * width);
  }

  @Override
  public void scatter(
      Object[] to,
      int[] at,
      Object[] from,
      int[] source,
      int first,
      int end,
      int column,
      int stop) {
    int length = stop - column;
    boolean isShort = width == 1 || length < width;
    RowScatterLoop vectors = isShort ? null : tiers.second((long) (end - first) * length);
    int rest = vectors == null ? column : column + length / width * width;
    if (vectors != null) {
      vectors.scatter(to, at, from, source, first, end, column, rest);
    }
    if (rest < stop) {
      tiers.first().scatter(to, at, from, source, first, end, rest, stop);
    }
  }

  void prepare() {
    tiers.prepare();
  }
}
