package org.hlo4j.check.shrink;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import org.hlo4j.check.Runner;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.hlo.schema.OpSchema;

/**
 * Ops with simpler attributes, of which a constant is one, and arguments as simple as constants.
 */
final class Simpler {
  private static final int MAX_DIGIT = 9;

  private Simpler() {}

  /** What makes ops simpler, in the order of trials. */
  static final ImmutableList<Reduction> ATTRIBUTES =
      ImmutableList.of(
          reduction(
              "default precision",
              (name, value) -> name.equals("operand_precision") ? ImmutableList.of() : value),
          reduction(
              "no options",
              (name, value) -> value instanceof Optional<?> ? Optional.empty() : value),
          reduction("no flags", (name, value) -> value instanceof Boolean ? false : value),
          reduction(
              "no padding",
              (name, value) ->
                  switch (value) {
                    case Window window -> window.withValidPadding();
                    case PadConfig padding -> PadConfig.none(padding.edgePaddingLow().count());
                    default -> value;
                  }),
          reduction(
              "no strides",
              (name, value) ->
                  value instanceof Window window
                      ? Window.of(window.sizes())
                          .withPadding(window.paddingLow(), window.paddingHigh())
                      : value),
          reduction(
              "single elements",
              (name, value) ->
                  value instanceof Window window
                      ? Window.of(Dims.filled(window.rank(), 1))
                      : value));

  /** What gives other bits to the components of constants and arguments. */
  static final ImmutableList<Reduction> BITS =
      ImmutableList.of(
          bits("zeros", array -> i -> 0),
          bits("ones", Simpler::ones),
          bits("equal elements", array -> i -> array.bitsAt(i % components(array))),
          bits("small numbers", array -> i -> small(part(array), array.bitsAt(i))));

  /** Returns the reduction by what takes the place of attributes, from their names and values. */
  static Reduction reduction(String name, BiFunction<String, Object, Object> change) {
    return new Reduction(
        name,
        (known, at) ->
            known.argument(at).isPresent()
                ? known
                    .argument(at)
                    .map(
                        was -> known.program().changed(was, own -> (Literal) change.apply("", own)))
                    .filter(now -> !known.argument(at).equals(Optional.of(now)))
                    .map(now -> (draft, old) -> draft.changed(old, now))
                : Optional.<Rewrite.Change>of(
                        (draft, old) -> draft.fitted(old, with(old.op(), change)))
                    .filter(any -> !with(at.op(), change).equals(at.op())));
  }

  private static Reduction bits(String name, Function<Literal, IntToLongFunction> bits) {
    return reduction(
        name,
        (attribute, value) ->
            value instanceof Literal was
                    && was.shape() instanceof Shape.Array array
                    && !was.isElided()
                ? Literal.ofBits(array, bits.apply(was))
                : value);
  }

  /** Returns the op with other attributes; the same if it refuses them. */
  static Op with(Op op, BiFunction<String, Object, Object> change) {
    return Runner.unlessRefused(() -> OpSchema.with(op, change)).orElse(op);
  }

  /** Gives ones, complex numbers as well; zeros stay. */
  private static IntToLongFunction ones(Literal array) {
    boolean isZero = array.equals(Literal.zeros(array.arrayShape()));
    long one = part(array).isFloating() ? part(array).encode(1) : 1;
    return isZero ? array::bitsAt : i -> i % components(array) == 1 ? 0 : one;
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

  private static ElementType part(Literal array) {
    return array.arrayShape().elementType().componentType();
  }

  private static int components(Literal array) {
    return array.arrayShape().elementType().componentCount();
  }
}
