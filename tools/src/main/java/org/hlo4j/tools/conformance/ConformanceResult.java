package org.hlo4j.tools.conformance;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * The result of a conformance case, with the bounds of a correct result. Whoever reads the suite
 * judges by them, and so does hlo4j: each component has a verdict of its own.
 *
 * @param expected the arrays of the result of the reference
 * @param low the least correct values
 * @param high the greatest correct values
 * @param free by element or, for complex numbers, by component: 0 where the bounds judge, otherwise
 *     the verdict on any other value: {@link #UNDECIDED} or {@link #UNSPECIFIED}
 * @param open what specifications leave open in the elements that are unspecified
 */
public record ConformanceResult(
    ImmutableList<Literal> expected,
    ImmutableList<Literal> low,
    ImmutableList<Literal> high,
    ImmutableList<Literal> free,
    ImmutableSet<LeftOpen> open) {
  /** What {@code free} says of elements that roundings may make any value. */
  static final int UNDECIDED = 1;

  /** What {@code free} says of elements that specifications leave open. */
  static final int UNSPECIFIED = 2;

  /** Returns the result of a program, with the bounds that its roundings justify. */
  static ConformanceResult of(Program program) {
    ImmutableList<Literal> want = program.run(Interpreter.reference()).arrays();
    ImmutableList<Interval> intervals =
        Comparison.intervals(program, new ToleranceProfile.Native(), EvaluatorOptions.defaults());
    return new ConformanceResult(
        want,
        bounds(want, intervals, Interval::low, true),
        bounds(want, intervals, Interval::high, false),
        free(want, intervals),
        intervals.stream()
            .flatMap(interval -> interval.open().stream())
            .collect(ImmutableSet.toImmutableSet()));
  }

  private static ImmutableList<Literal> bounds(
      ImmutableList<Literal> want,
      ImmutableList<Interval> intervals,
      ToDoubleFunction<Interval> end,
      boolean isLow) {
    Iterator<Interval> next = intervals.iterator();
    ImmutableList.Builder<Literal> bounds = ImmutableList.builder();
    for (Literal array : want) {
      LiteralBuilder bound = new LiteralBuilder((Shape.Array) array.shape().withoutLayout());
      ElementType part = array.elementType().componentType();
      for (int i = 0; i < components(array); i++) {
        Interval interval = next.next();
        boolean isExact =
            !part.isFloating() || !interval.isBounded() || interval.low() == interval.high();
        bound.setBits(
            i, isExact ? array.bitsAt(i) : inside(part, end.applyAsDouble(interval), isLow));
      }
      bounds.add(bound.build());
    }
    return bounds.build();
  }

  /** Returns the bits of the outermost number of a type that is not beyond an end. */
  private static long inside(ElementType part, double end, boolean isLow) {
    long bits = part.encode(end);
    double rounded = part.decode(bits);
    boolean isBeyond = isLow ? rounded < end : rounded > end;
    return isBeyond ? part.encode(neighbor(part, rounded, isLow)) : bits;
  }

  /** Returns the next value; an infinity, and the largest value of types without, has none. */
  public static double neighbor(ElementType type, double value, boolean isHigh) {
    if (!isHigh) {
      return -neighbor(type, -value, true);
    }
    if (value == 0) {
      return type.decode(1);
    }
    if (Double.isNaN(value) || value == Double.POSITIVE_INFINITY) {
      return value;
    }
    double next = type.decode(type.encode(value) + (value > 0 ? 1 : -1));
    return Double.isNaN(next) || next < value ? value : next;
  }

  private static ImmutableList<Literal> free(
      ImmutableList<Literal> want, ImmutableList<Interval> intervals) {
    Iterator<Interval> next = intervals.iterator();
    ImmutableList.Builder<Literal> free = ImmutableList.builder();
    for (Literal array : want) {
      LiteralBuilder mask = new LiteralBuilder(Shape.of(ElementType.U8, components(array)));
      for (int i = 0; i < components(array); i++) {
        mask.setLong(i, free(next.next()));
      }
      free.add(mask.build());
    }
    return free.build();
  }

  private static int free(Interval interval) {
    return interval.open().isPresent() ? UNSPECIFIED : interval.isBounded() ? 0 : UNDECIDED;
  }

  private static int components(Literal array) {
    return array.elementCount() * array.elementType().componentCount();
  }

  /** Returns whether no element may have any value. */
  boolean isBounded(int array) {
    return free.get(array).equals(Literal.zeros(free.get(array).arrayShape()));
  }

  /** Returns the verdict on a component of an array of a result. */
  Verdict verdict(int array, Literal got, int i) {
    Literal want = expected.get(array);
    ElementType type = want.elementType().componentType();
    if (got.bitsAt(i) == want.bitsAt(i) || (isNaN(type, got, i) && isNaN(type, want, i))) {
      return Verdict.SAME;
    }
    long freedom = free.get(array).longAt(i);
    if (freedom != 0) {
      return freedom == UNSPECIFIED ? Verdict.UNSPECIFIED : Verdict.UNDECIDED;
    }
    long least = low.get(array).bitsAt(i);
    long greatest = high.get(array).bitsAt(i);
    boolean isInside =
        type.isFloating()
            && least != greatest
            && Double.compare(type.decode(got.bitsAt(i)), type.decode(least)) >= 0
            && Double.compare(type.decode(got.bitsAt(i)), type.decode(greatest)) <= 0;
    return isInside ? Verdict.ROUNDED : Verdict.WRONG;
  }

  private static boolean isNaN(ElementType type, Literal array, int i) {
    return type.isFloating() && Double.isNaN(type.decode(array.bitsAt(i)));
  }

  /** Returns the worst verdict on a result. */
  Verdict verdict(ImmutableList<Literal> got) {
    Verdict worst = Verdict.SAME;
    for (int array = 0; array < expected.size(); array++) {
      for (int i = 0; i < components(expected.get(array)); i++) {
        worst = worst.worse(verdict(array, got.get(array), i));
      }
    }
    return worst;
  }

  /** Describes the first component with a verdict: its place, both values and the bounds. */
  Optional<String> first(Verdict verdict, ImmutableList<Literal> got) {
    for (int array = 0; array < expected.size(); array++) {
      for (int i = 0; i < components(expected.get(array)); i++) {
        if (verdict(array, got.get(array), i) == verdict) {
          return Optional.of(described(array, i, got.get(array), verdict));
        }
      }
    }
    return Optional.empty();
  }

  private String described(int array, int i, Literal got, Verdict verdict) {
    Literal want = expected.get(array);
    String bounds =
        low.get(array).bitsAt(i) == high.get(array).bitsAt(i)
            ? ""
            : ", from " + number(low.get(array), i) + " to " + number(high.get(array), i);
    return verdict
        + ": result "
        + array
        + ", "
        + want.shape()
        + ", component "
        + i
        + " got "
        + number(got, i)
        + ", want "
        + number(want, i)
        + (verdict == Verdict.WRONG ? bounds : "");
  }

  private static String number(Literal array, int i) {
    ElementType type = array.elementType().componentType();
    return type.isFloating()
        ? String.valueOf(type.decode(array.bitsAt(i)))
        : String.valueOf(type.wrap(array.bitsAt(i)));
  }

  /** Returns by how many representable values the bounds of an array differ from it at most. */
  long ulps(int array) {
    Literal want = expected.get(array);
    ElementType type = want.elementType().componentType();
    long most = 0;
    for (int i = 0; i < components(want) && type.isFloating(); i++) {
      long bits = want.bitsAt(i);
      most = Math.max(most, type.ulpsBetween(bits, low.get(array).bitsAt(i)));
      most = Math.max(most, type.ulpsBetween(bits, high.get(array).bitsAt(i)));
    }
    return most;
  }

  /** Returns the largest distance of the bounds of an array. */
  double distance(int array) {
    Literal least = low.get(array);
    ElementType part = least.elementType().componentType();
    double distance = 0;
    for (int i = 0; i < components(least) && part.isFloating(); i++) {
      double reach = part.decode(high.get(array).bitsAt(i)) - part.decode(least.bitsAt(i));
      distance = Double.isNaN(reach) ? distance : Math.max(distance, reach);
    }
    return distance;
  }
}
