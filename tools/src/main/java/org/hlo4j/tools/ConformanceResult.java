package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import java.util.Iterator;
import java.util.function.ToDoubleFunction;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Interval;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * The result of a conformance case, with its bounds.
 *
 * @param expected the arrays of the result of the reference
 * @param low the least correct values
 * @param high the greatest correct values
 * @param ulps by how many representable values a correct result may differ; 0 if the bounds follow
 *     from the roundings of the program
 */
record ConformanceResult(
    ImmutableList<Literal> expected,
    ImmutableList<Literal> low,
    ImmutableList<Literal> high,
    int ulps) {

  /** Returns a result that may differ by so many representable values. */
  static ConformanceResult within(int ulps, Literal want) {
    return new ConformanceResult(
        ImmutableList.of(want),
        ImmutableList.of(moved(want, ulps, false)),
        ImmutableList.of(moved(want, ulps, true)),
        ulps);
  }

  private static Literal moved(Literal want, int ulps, boolean isHigh) {
    if (ulps == 0) {
      return want;
    }
    Shape.Array shape = want.arrayShape();
    LiteralBuilder bound = new LiteralBuilder(shape);
    for (int i = 0; i < want.elementCount(); i++) {
      double value = want.doubleAt(i);
      for (int step = 0; step < ulps; step++) {
        value = neighbor(shape.elementType(), value, isHigh);
      }
      bound.setDouble(i, value);
    }
    return bound.build();
  }

  /** Returns the next value; an infinity, and the largest value of types without, has none. */
  static double neighbor(ElementType type, double value, boolean isHigh) {
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

  /** Returns the result of a program, with the bounds that its roundings justify. */
  static ConformanceResult of(Program program) {
    ImmutableList<Literal> want = program.run(Interpreter.reference()).arrays();
    ImmutableList<Interval> intervals =
        Comparison.intervals(program, new ToleranceProfile.Native(), EvaluatorOptions.defaults());
    return new ConformanceResult(
        want, bounds(want, intervals, Interval::low), bounds(want, intervals, Interval::high), 0);
  }

  private static ImmutableList<Literal> bounds(
      ImmutableList<Literal> want,
      ImmutableList<Interval> intervals,
      ToDoubleFunction<Interval> end) {
    Iterator<Interval> next = intervals.iterator();
    ImmutableList.Builder<Literal> bounds = ImmutableList.builder();
    for (Literal array : want) {
      LiteralBuilder bound = new LiteralBuilder((Shape.Array) array.shape().withoutLayout());
      ElementType part = array.elementType().componentType();
      for (int i = 0; i < array.elementCount() * parts(array); i++) {
        Interval interval = next.next();
        boolean isExact = !part.isFloating() || interval.low() == interval.high();
        bound.setBits(i, isExact ? array.bitsAt(i) : part.encode(end.applyAsDouble(interval)));
      }
      bounds.add(bound.build());
    }
    return bounds.build();
  }

  private static int parts(Literal array) {
    return array.elementType().isComplex() ? 2 : 1;
  }

  /** Returns the largest distance of the bounds of an array. */
  double distance(int array) {
    Literal least = low.get(array);
    ElementType part = least.elementType().componentType();
    double distance = 0;
    for (int i = 0; i < parts(least) * least.elementCount() && part.isFloating(); i++) {
      double reach = part.decode(high.get(array).bitsAt(i)) - part.decode(least.bitsAt(i));
      distance = Double.isNaN(reach) ? distance : Math.max(distance, reach);
    }
    return distance;
  }
}
