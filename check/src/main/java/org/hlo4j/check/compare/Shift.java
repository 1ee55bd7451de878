package org.hlo4j.check.compare;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/**
 * The choice of one run that shifts roundings: every element goes to an end of what the allowance
 * of its site gives, up in the first run, down in the second, and in random directions in the
 * others, in every third only part of the way.
 */
final class Shift implements Perturbed.Choice {
  /** The run in which what may be 0 is 0, where a function may have a pole. */
  private static final int ZERO_RUN = 3;

  private final int run;
  private final boolean isOwn;
  private final boolean flushes;
  private volatile boolean hasShifted;

  /**
   * The directions at each place, which do not depend on those at others, and are the same on each
   * device, which has a thread of its own.
   */
  private final ThreadLocal<Map<String, SplittableRandom>> directions =
      ThreadLocal.withInitial(HashMap::new);

  /**
   * Creates the choice of a run.
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

  /** Returns whether anything could have another value. */
  boolean hasShifted() {
    return hasShifted;
  }

  @Override
  public Literal of(Perturbed.Site site, List<Literal> operands) {
    Literal value = operands.get(0);
    if (site.isOwn() != isOwn) {
      return value;
    }
    List<Literal> given = operands.subList(1, operands.size());
    List<Literal> arrays = value.arrays();
    return Literal.ofArrays(
        value.shape(),
        IntStream.range(0, arrays.size())
            .mapToObj(i -> shifted(site, i, arrays.get(i), given))
            .iterator());
  }

  private Literal shifted(Perturbed.Site site, int output, Literal value, List<Literal> given) {
    if (!value.elementType().componentType().isFloating()) {
      return value;
    }
    Bounds bounds = new Bounds(value, output, given);
    site.allowance().rule().accept(bounds);
    if (flushes) {
      bounds.flush();
    }
    hasShifted |= IntStream.range(0, bounds.size()).anyMatch(bounds::isOpen);
    SplittableRandom random = random(site.use() + site.instruction().name());
    return Literal.ofBits(
        value.arrayShape(), i -> bounds.isOpen(i) ? shifted(bounds, i, random) : value.bitsAt(i));
  }

  private SplittableRandom random(String place) {
    return directions
        .get()
        .computeIfAbsent(place, each -> new SplittableRandom(31L * each.hashCode() + run));
  }

  private long shifted(Bounds bounds, int i, SplittableRandom random) {
    ElementType type = bounds.type;
    if (bounds.isAnything(i)) {
      return type.encode(anything(type, random));
    } else if (run == ZERO_RUN && bounds.low[i] <= 0 && bounds.high[i] >= 0) {
      return type.encode(0);
    }
    boolean isUp = run == 0 || (run > 1 && random.nextBoolean());
    double end = isUp ? bounds.high[i] : bounds.low[i];
    boolean isPart = run > 1 && run % 3 == 2;
    return type.encode(
        isPart && Double.isFinite(end)
            ? bounds.values[i] + random.nextDouble() * (end - bounds.values[i])
            : end);
  }

  private double anything(ElementType type, SplittableRandom random) {
    double beyond = type.hasInfinity() ? Double.POSITIVE_INFINITY : type.maxFinite();
    return switch (run < 4 ? run : random.nextInt(5)) {
      case 0 -> type.hasNaN() ? Double.NaN : beyond;
      case 1 -> 0;
      case 2 -> beyond;
      case 3 -> -beyond;
      default -> random.nextGaussian();
    };
  }
}
