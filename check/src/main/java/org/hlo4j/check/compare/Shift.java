package org.hlo4j.check.compare;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/**
 * The custom calls of a {@link Perturbed} module in one run. They shift every element to an end of
 * what its allowance gives: up in the first run, down in the second, and in random directions in
 * the others, in every third only part of the way.
 */
final class Shift {
  /** The run in which what may be 0 is 0, where a function may have a pole. */
  private static final int ZERO_RUN = 3;

  private final int run;
  private final boolean isOwn;
  private final boolean flushes;

  /** The directions at each place, which do not depend on those at others. */
  private static final class Directions {
    final Map<String, SplittableRandom> places = new HashMap<>();
    SplittableRandom next = new SplittableRandom(0);
  }

  /** Those of each device, which has a thread of its own: the same for all. */
  private final ThreadLocal<Directions> directions = ThreadLocal.withInitial(Directions::new);

  /**
   * Creates the custom calls of a run.
   *
   * @param run its number
   * @param isOwn whether it shifts what is only moved to the root, or else all other values
   * @param flushes whether denormal numbers may be zero
   */
  Shift(int run, boolean isOwn, boolean flushes) {
    this.run = run;
    this.isOwn = isOwn;
    this.flushes = flushes;
  }

  /** Returns the custom calls of the same run from its beginning. */
  Shift again() {
    return new Shift(run, isOwn, flushes);
  }

  /** Returns the first operand shifted; the others are those of the instruction. */
  Literal shifted(Perturbed.Site site, List<Literal> operands) {
    Literal value = operands.get(0);
    Directions own = directions.get();
    own.next =
        own.places.computeIfAbsent(
            site.target(), each -> new SplittableRandom(31L * each.hashCode() + run));
    if (site.isOwn() != isOwn) {
      return value;
    }
    List<Literal> given = operands.subList(1, operands.size());
    return value.shape() instanceof Shape.Tuple
        ? Literal.tuple(
            IntStream.range(0, value.elements().size())
                .mapToObj(i -> shifted(site.allowance(), i, value.element(i), given))
                .toArray(Literal[]::new))
        : shifted(site.allowance(), 0, value, given);
  }

  private Literal shifted(Allowance allowance, int output, Literal value, List<Literal> operands) {
    if (!(value.shape() instanceof Shape.Array array)
        || !array.elementType().componentType().isFloating()) {
      return value;
    }
    Bounds bounds = new Bounds(value);
    allowance.rule().apply(bounds, output, operands);
    if (flushes) {
      bounds.flush();
    }
    return Literal.ofBits(array, i -> bounds.isOpen(i) ? shifted(bounds, i) : value.bitsAt(i));
  }

  private long shifted(Bounds bounds, int i) {
    ElementType type = bounds.type;
    if (bounds.isAnything(i)) {
      return type.encode(anything(type));
    } else if (run == ZERO_RUN && bounds.low[i] <= 0 && bounds.high[i] >= 0) {
      return type.encode(0);
    }
    boolean isUp = run == 0 || (run > 1 && random().nextBoolean());
    double end = isUp ? bounds.high[i] : bounds.low[i];
    boolean isPart = run > 1 && run % 3 == 2;
    return type.encode(
        isPart && Double.isFinite(end)
            ? bounds.values[i] + random().nextDouble() * (end - bounds.values[i])
            : end);
  }

  private SplittableRandom random() {
    return directions.get().next;
  }

  private double anything(ElementType type) {
    double beyond = type.hasInfinity() ? Double.POSITIVE_INFINITY : type.maxFinite();
    return switch (run < 4 ? run : random().nextInt(5)) {
      case 0 -> type.hasNaN() ? Double.NaN : beyond;
      case 1 -> 0;
      case 2 -> beyond;
      case 3 -> -beyond;
      default -> random().nextGaussian();
    };
  }
}
