package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** Arrays with simpler elements, in the place of constants and arguments. */
final class SimplerLiterals {
  private static final int MAX_DIGIT = 9;

  /** In how many parts the elements of an array become zeros, and how long it may be for that. */
  private static final int MAX_PARTS = 64;

  private static final int MAX_ELEMENTS = 1 << 20;

  private SimplerLiterals() {}

  /** What gives other bits to the components of an array; the same bits change nothing. */
  static final ImmutableList<Reduction> REDUCTIONS =
      ImmutableList.<Reduction>builder()
          .add(of("zeros", array -> i -> 0))
          .add(of("ones", SimplerLiterals::ones))
          .add(of("equal elements", array -> i -> array.bitsAt(i % components(array))))
          .add(of("small numbers", array -> i -> small(part(array), array.bitsAt(i))))
          .add(of("shorter loops", SimplerLiterals::half))
          .addAll(
              IntStream.range(2, 2 * MAX_PARTS)
                  .mapToObj(i -> of("zero elements", array -> zeroElements(array, i)))
                  .iterator())
          .build();

  private static Reduction of(String name, Function<Literal, IntToLongFunction> bits) {
    return new Reduction(
        name,
        (known, at) ->
            known
                .literal(at, was -> changed(was, bits))
                .filter(now -> !known.literal(at, was -> was).equals(Optional.of(now)))
                .map(now -> (draft, old) -> draft.value(old, now)));
  }

  private static Literal changed(Literal was, Function<Literal, IntToLongFunction> bits) {
    return was.shape() instanceof Shape.Array array && !was.isElided()
        ? Literal.ofBits(array, bits.apply(was))
        : was;
  }

  /** Gives ones, complex numbers as well; zeros stay. */
  private static IntToLongFunction ones(Literal array) {
    boolean isZero = array.equals(Literal.zeros(array.arrayShape()));
    return isZero ? array::bitsAt : i -> i % components(array) == 1 ? 0 : bits(part(array), 1);
  }

  private static long small(ElementType part, long bits) {
    if (!part.isFloating()) {
      return Math.clamp(part.wrap(bits), -MAX_DIGIT, MAX_DIGIT);
    }
    double value = part.decode(bits);
    return Double.isFinite(value)
        ? part.encode(Math.clamp(Math.rint(value), -MAX_DIGIT, MAX_DIGIT))
        : bits;
  }

  private static long bits(ElementType part, int value) {
    return part.isFloating() ? part.encode(value) : value;
  }

  /** Gives half of a whole number, such as the bound of a loop. */
  private static IntToLongFunction half(Literal array) {
    boolean isCount = array.arrayShape().isScalar() && part(array).isIntegral();
    return isCount ? i -> part(array).wrap(array.bitsAt(i)) / 2 : array::bitsAt;
  }

  /**
   * Makes a part of the elements zero, unless all are alike.
   *
   * @param number of the part: 2 and 3 are halves, 4 to 7 quarters, and so on
   */
  private static IntToLongFunction zeroElements(Literal array, int number) {
    int parts = Integer.highestOneBit(number);
    long all = (long) array.elementCount() * components(array);
    boolean areAlike =
        IntStream.range(0, (int) Math.min(all, MAX_ELEMENTS))
            .allMatch(i -> array.bitsAt(i) == array.bitsAt(i % components(array)));
    return areAlike || all > MAX_ELEMENTS
        ? array::bitsAt
        : i -> i * (long) parts / all == number - parts ? 0 : array.bitsAt(i);
  }

  private static ElementType part(Literal array) {
    return array.arrayShape().elementType().componentType();
  }

  private static int components(Literal array) {
    return array.arrayShape().elementType().componentCount();
  }
}
