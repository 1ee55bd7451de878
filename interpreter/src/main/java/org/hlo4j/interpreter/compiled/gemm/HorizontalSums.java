package org.hlo4j.interpreter.compiled.gemm;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.jspecify.annotations.Nullable;

/**
 * The horizontal sums of groups of {@link Gemv#LANES} elements, by plain loops or by vectors once
 * these are ready.
 */
final class HorizontalSums {
  private static final Map<AccumulatorType, HorizontalSums> ALL = new ConcurrentHashMap<>();

  /** The number of sums from which vectors are worthwhile. */
  private static final long MIN_VECTOR_WORK = 1 << 12;

  private final AccumulatorType accumulatorType;
  private final int lanes;
  private final Object order;
  private final Tiered<HorizontalSum> tiers;

  private HorizontalSums(AccumulatorType accumulatorType) {
    this.accumulatorType = accumulatorType;
    this.lanes = Math.max(1, Machine.width(accumulatorType.bits()));
    this.order = HorizontalSumTree.order(accumulatorType, lanes);
    this.tiers = new Tiered<>(this::plain, this::generate, this::warmup, MIN_VECTOR_WORK);
  }

  /** {@return the horizontal sums of an accumulator type} */
  static HorizontalSums of(AccumulatorType accumulatorType) {
    return ALL.computeIfAbsent(
        accumulatorType, type -> CodeBudget.shared(() -> new HorizontalSums(type)));
  }

  /** Computes {@code to[t + i]} for all i below count, as specified by {@link HorizontalSum}. */
  void run(Object sums, int start, int count, Object to, int t) {
    int groups = count / lanes;
    HorizontalSum vectors = tiers.second(count);
    (vectors == null ? tiers.first() : vectors).run(sums, start, to, t, groups, order);
    int done = groups * lanes;
    GemmArithmetic.of(accumulatorType)
        .horizontalSums(sums, start + done * Gemv.LANES, Gemv.LANES, count - done, to, t + done);
  }

  private void plain(Object sums, int start, Object to, int t, int count, Object order) {
    GemmArithmetic.of(accumulatorType)
        .horizontalSums(sums, start, Gemv.LANES, count * lanes, to, t);
  }

  private @Nullable HorizontalSum generate() {
    return lanes == 1 ? null : HorizontalSumCode.of(accumulatorType, lanes);
  }

  private WarmupInput<HorizontalSum> warmup() {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    Object sums = copies.allocate(WarmupInput.ITERATIONS * lanes * Gemv.LANES);
    Object to = copies.allocate(WarmupInput.ITERATIONS * lanes);
    return (halving, iterations) ->
        halving.run(sums, 0, to, 0, iterations > 0 ? iterations : iterations - 1, order);
  }
}
