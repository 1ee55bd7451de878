package org.hlo4j.interpreter.compiled.moves;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.compiled.lanes.TooLargeException;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.loops.Tiered;
import org.jspecify.annotations.Nullable;

/** The loops of a computation, by single elements and, once these are compiled, by vectors. */
final class Foldings {
  /** How many lines a call may have at most: longer loops C2 cuts into strips, and then spills the
   * accumulators. */
  static final int MOST_LINES = 990;

  private static final int PRACTICE = 256;
  private static final int MOST_KEPT = 1_000;
  private static final Cache<List<Object>, Optional<Foldings>> ALL =
      CacheBuilder.newBuilder().maximumSize(MOST_KEPT).build();
  private static final int ENOUGH = 1 << 17;

  private final Tiered<Folding> tiers;
  private final int width;

  private Foldings(BodyCode body) {
    int lanes = VectorSupport.width(body.widestBits());
    this.width = body.isVector() ? lanes : 1;
    this.tiers =
        new Tiered<>(FoldingCode.scalar(body), () -> vector(body), () -> practice(body), ENOUGH);
  }

  /** The loops; none if there is no code for the computation. */
  static Optional<Foldings> of(HloComputation computation) {
    List<Object> key = structure(computation);
    Optional<Foldings> known = ALL.getIfPresent(key);
    if (known == null) {
      known = made(new BodyCode(computation));
      ALL.put(key, known);
    }
    return known;
  }

  /** What tells a computation from others. */
  private static List<Object> structure(HloComputation computation) {
    Map<HloInstruction, Integer> numbers = new HashMap<>();
    List<Object> all = new ArrayList<>();
    for (HloInstruction instruction : computation.instructions()) {
      numbers.put(instruction, numbers.size());
      all.add(instruction.op());
      all.add(instruction.shape());
      all.add(instruction.operands().stream().map(numbers::get).toList());
      all.add(instruction.called());
    }
    all.add(numbers.get(computation.root()));
    return all;
  }

  private static Optional<Foldings> made(BodyCode body) {
    try {
      return body.isKnown() ? Optional.of(new Foldings(body)) : Optional.empty();
    } catch (UnsupportedOperationException | TooLargeException none) {
      return Optional.empty();
    }
  }

  private @Nullable Folding vector(BodyCode body) {
    try {
      return width == 1 ? null : FoldingCode.vector(body, width);
    } catch (UnsupportedOperationException | TooLargeException scalarOnly) {
      return null;
    }
  }

  private static Tiered.Practice<Folding> practice(BodyCode body) {
    Object[] to = new Object[body.count()];
    Object[] from = new Object[body.count()];
    for (int k = 0; k < to.length; k++) {
      to[k] = Cells.of(body.type(k)).newArray(PRACTICE);
      from[k] = Cells.of(body.type(k)).newArray(2 * PRACTICE);
    }
    int[] lines = {0, 1, PRACTICE / 2, PRACTICE};
    return (folding, turns) ->
        folding.fold(to, 0, from, lines, lines.length, turns > 0 ? PRACTICE : 0);
  }

  /** By single elements. */
  Folding scalar() {
    return tiers.first();
  }

  /** By vectors of so many elements, if these are ready and fit. */
  @Nullable Folding ready(long work, int length) {
    return length < width ? null : tiers.second(work);
  }

  int width() {
    return width;
  }

  void prepare() {
    tiers.prepare();
  }
}
