package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;

/** The judgement of the elements of one array. */
final class ElementJudge {
  private final Literal got;
  private final Literal want;
  private final ElementType type;
  private final boolean convolves;
  private final double leastNormal;
  private final ImmutableList<RoundingRuns.Part> parts;

  ElementJudge(Literal got, Literal want, List<RoundingRuns> runs, List<Integer> path) {
    this.got = got;
    this.want = want;
    this.type = want.elementType().componentType();
    this.convolves = runs.stream().anyMatch(RoundingRuns::convolves);
    this.leastNormal = runs.stream().mapToDouble(each -> each.leastNormal(type)).max().orElse(0);
    this.parts =
        runs.stream().map(each -> each.part(path)).collect(ImmutableList.toImmutableList());
  }

  /** Returns how many components there are, two for each complex number. */
  int components() {
    return want.elementCount() * (want.elementType().isComplex() ? 2 : 1);
  }

  boolean isSame(int i) {
    return got.bitsAt(i) == want.bitsAt(i) || (isNaN(got, i) && isNaN(want, i));
  }

  private boolean isNaN(Literal value, int i) {
    return type.isFloating() && Double.isNaN(type.decode(value.bitsAt(i)));
  }

  /**
   * Returns how far roundings may move a component. A denormal number may become any other, but 0
   * not -0.
   */
  private double reach(int i) {
    double reach = parts.stream().mapToDouble(part -> part.reach(i)).sum();
    return leastNormal > 0 && isDenormal(i) ? Math.max(reach, leastNormal) : reach;
  }

  private boolean isDenormal(int i) {
    double value = type.isFloating() ? type.decode(want.bitsAt(i)) : Double.NaN;
    return Math.abs(value) < leastNormal && value != type.decode(got.bitsAt(i));
  }

  Verdict verdict(int i) {
    if (isSame(i)) {
      return Verdict.SAME;
    }
    double reach = reach(i);
    if (reach == Double.POSITIVE_INFINITY || (convolves && isNaN(got, i))) {
      return Verdict.UNDECIDED;
    }
    boolean isNear =
        reach > 0
            && type.isFloating()
            && Math.abs(type.decode(got.bitsAt(i)) - type.decode(want.bitsAt(i))) <= reach;
    return isNear ? Verdict.ROUNDED : Verdict.WRONG;
  }

  Interval interval(int i) {
    double reach = reach(i);
    if (reach == Double.POSITIVE_INFINITY) {
      return Interval.UNBOUNDED;
    }
    double centre = type.isFloating() ? type.decode(want.bitsAt(i)) : type.wrap(want.bitsAt(i));
    return new Interval(centre - reach, centre + reach);
  }

  long ulps(int i) {
    return type.ulpsBetween(got.bitsAt(i), want.bitsAt(i));
  }
}
