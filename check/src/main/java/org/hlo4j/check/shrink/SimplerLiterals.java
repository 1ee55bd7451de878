package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** Arrays with simpler elements. */
final class SimplerLiterals {
  private static final int MOST = 9;

  private SimplerLiterals() {}

  /** Returns an array of zeros. */
  static Literal zeros(Literal of) {
    return made(of, i -> 0);
  }

  /** Returns an array of ones, complex numbers as well; zeros stay. */
  static Literal ones(Literal of) {
    if (nonzero(of).isEmpty()) {
      return of;
    }
    ElementType part = part(of);
    boolean isComplex = of.arrayShape().elementType().isComplex();
    return made(of, i -> isComplex && i % 2 == 1 ? 0 : bits(part, 1));
  }

  /** Returns an array in which all elements are the first. */
  static Literal alike(Literal of) {
    int parts = of.arrayShape().elementType().componentCount();
    return made(of, i -> of.bitsAt(i % parts));
  }

  /** Returns an array of whole numbers of one digit. */
  static Literal small(Literal of) {
    ElementType part = part(of);
    return made(of, i -> small(part, of.bitsAt(i)));
  }

  private static long small(ElementType part, long bits) {
    if (!part.isFloating()) {
      return bits(part, Math.clamp(part.wrap(bits), -MOST, MOST));
    }
    double value = part.decode(bits);
    return Double.isFinite(value)
        ? bits(part, (int) Math.clamp(Math.rint(value), -MOST, MOST))
        : bits;
  }

  private static long bits(ElementType part, int value) {
    return part.isFloating() ? part.encode(value) : value;
  }

  /** Returns half of a whole number, such as the bound of a loop; other arrays as they are. */
  static Literal half(Literal of) {
    boolean isCount = of.arrayShape().isScalar() && part(of).isIntegral();
    return isCount ? made(of, i -> bits(part(of), (int) (part(of).wrap(of.bitsAt(0)) / 2))) : of;
  }

  /** Returns the positions of the elements that are not zero. */
  static ImmutableList<Integer> nonzero(Literal of) {
    return IntStream.range(0, parts(of))
        .filter(i -> of.bitsAt(i) != 0)
        .boxed()
        .collect(toImmutableList());
  }

  /** Returns the array with zeros at these positions. */
  static Literal cleared(Literal of, Iterable<Integer> at) {
    Set<Integer> zeros = ImmutableSet.copyOf(at);
    return made(of, i -> zeros.contains(i) ? 0 : of.bitsAt(i));
  }

  /** Returns the first elements in each dimension, zeros if there are none. */
  static Literal resized(Literal of, Shape.Array shape) {
    if (of.elementCount() == 0) {
      return Literal.zeros(shape);
    }
    Dims strides = of.arrayShape().sizes().rowMajorStrides();
    Dims own = shape.sizes().rowMajorStrides();
    return of.taken(
        shape,
        i ->
            (int)
                IntStream.range(0, shape.rank())
                    .mapToLong(d -> i / own.get(d) % shape.size(d) * strides.get(d))
                    .sum());
  }

  private static Literal made(Literal of, IntToLongFunction bits) {
    return Literal.ofBits(of.arrayShape(), bits).withShape(of.arrayShape());
  }

  private static ElementType part(Literal of) {
    return of.arrayShape().elementType().componentType();
  }

  private static int parts(Literal of) {
    return of.elementCount() * of.arrayShape().elementType().componentCount();
  }
}
