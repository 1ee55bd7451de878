package org.hlo4j.interpreter.compiled.dots;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;
import org.hlo4j.interpreter.compiled.tiers.Tiered;
import org.jspecify.annotations.Nullable;

/** Makes one sum of each {@link RowProduct#LANES}, by vectors once these are ready. */
final class Halvings {
  private static final Map<Carrier, Halvings> ALL = new ConcurrentHashMap<>();

  /** So many sums make vectors worth while. */
  private static final long ENOUGH = 1 << 12;

  private final Carrier carrier;
  private final int lanes;
  private final Object order;
  private final Tiered<Halving> tiers;

  private Halvings(Carrier carrier) {
    this.carrier = carrier;
    this.lanes = Math.max(1, VectorSupport.width(carrier.bits()));
    this.order = HalvingTree.order(carrier, lanes);
    this.tiers = new Tiered<>(this::plain, this::made, this::practice, ENOUGH);
  }

  /** Those of a type. */
  static Halvings of(Carrier carrier) {
    return ALL.computeIfAbsent(carrier, Halvings::new);
  }

  /** {@code to[t + i]} for all i below count, as {@link Halving} says. */
  void run(Object sums, int start, int count, Object to, int t) {
    int groups = count / lanes;
    Halving vectors = tiers.second(count);
    (vectors == null ? tiers.first() : vectors).run(sums, start, to, t, groups, order);
    int done = groups * lanes;
    Arithmetic.of(carrier)
        .halve(sums, start + done * RowProduct.LANES, RowProduct.LANES, count - done, to, t + done);
  }

  private void plain(Object sums, int start, Object to, int t, int count, Object order) {
    Arithmetic.of(carrier).halve(sums, start, RowProduct.LANES, count * lanes, to, t);
  }

  private @Nullable Halving made() {
    return lanes == 1 ? null : HalvingCode.of(carrier, lanes);
  }

  private Practice<Halving> practice() {
    Movement movement = Movement.of(carrier);
    Object sums = movement.allocate(Practice.ITERATIONS * lanes * RowProduct.LANES);
    Object to = movement.allocate(Practice.ITERATIONS * lanes);
    return (halving, iterations) ->
        halving.run(sums, 0, to, 0, iterations > 0 ? iterations : iterations - 1, order);
  }
}
