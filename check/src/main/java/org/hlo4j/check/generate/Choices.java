package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** Random decisions, reproducible from a seed, and the sizes and types that one module uses. */
final class Choices {
  /** Sizes of all magnitudes: powers of two, their neighbors, and primes. */
  private static final List<Long> SIZES =
      LongStream.of(0, 1, 1, 2, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 32, 33, 64, 127, 257, 509, 1021)
          .boxed()
          .toList();

  /** The types of most programs; one that is listed twice is drawn twice as often. */
  static final List<ElementType> COMMON =
      Splitter.on(' ')
          .splitToStream(
              "f32 f32 f32 f32 f64 bf16 bf16 bf16 f16 f16 s32 s64 s8 u8 u32 u64 c64 pred")
          .map(name -> ElementType.named(name).orElseThrow())
          .toList();

  private static final List<ElementType> ALL = List.of(ElementType.values());

  private final SplittableRandom random;
  private final Restrictions restrictions;
  private final List<ElementType> types;
  private final List<Long> sizes;

  /** Creates the choices of a program. */
  Choices(long seed, Restrictions restrictions) {
    this.random = new SplittableRandom(seed);
    this.restrictions = restrictions;
    List<ElementType> all = ALL.stream().filter(restrictions.types).toList();
    List<ElementType> common = COMMON.stream().filter(restrictions.types).toList();
    int rare = restrictions.isPortable ? 4 : 2;
    this.types = three(() -> oneOf(chance(rare) || common.isEmpty() ? all : common));
    this.sizes = three(() -> oneOf(SIZES));
  }

  private static <T> List<T> three(Supplier<T> each) {
    return Stream.generate(each).limit(3).toList();
  }

  /** Returns which ops, types and sizes the program may have. */
  Restrictions restrictions() {
    return restrictions;
  }

  /** Returns a random number from 0 to below {@code bound}. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** Returns a random number from one to another, both included. */
  long between(long least, long most) {
    require(least <= most, "", "nothing to choose from");
    return random.nextLong(least, most + 1);
  }

  /** Returns true with probability {@code 1 / times}. */
  boolean chance(int times) {
    return below(times) == 0;
  }

  <T> T oneOf(List<T> things) {
    require(!things.isEmpty(), "", "nothing to choose from");
    return things.get(below(things.size()));
  }

  /** Returns one of many things, preferably a late one. */
  <T> T late(List<T> things) {
    return things.get(Math.max(below(things.size()), below(things.size())));
  }

  /** Returns one of the types of this module. */
  ElementType type() {
    return oneOf(types);
  }

  /** Returns a type that suits, mostly one of this module. */
  ElementType type(Predicate<ElementType> suits) {
    List<ElementType> own = types.stream().filter(suits).toList();
    return own.isEmpty() || chance(6)
        ? oneOf(ALL.stream().filter(suits.and(restrictions.types)).toList())
        : oneOf(own);
  }

  /** Returns a type, mostly one of this module. */
  ElementType anyType() {
    return type(type -> true);
  }

  /** Returns a rank from 0 to 5, mostly a low one. */
  int rank() {
    return oneOf(List.of(0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5));
  }

  /** Returns sizes of this module whose product is limited. */
  Dims sizes(int rank, long most) {
    long[] dims = new long[rank];
    long product = 1;
    for (int i = 0; i < rank; i++) {
      long size = size();
      dims[i] = product * size <= most ? size : Math.min(1 + below(3), Math.max(1, most / product));
      product *= Math.max(1, dims[i]);
    }
    return Dims.of(dims).at(permutation(rank));
  }

  /** Returns one of the sizes of this module. */
  long size() {
    return oneOf(sizes);
  }

  /** Returns a random permutation of the dimensions. */
  Dims permutation(int rank) {
    List<Integer> order = new ArrayList<>(IntStream.range(0, rank).boxed().toList());
    Collections.shuffle(order, Random.from(random));
    return Dims.copyOf(order);
  }

  // Values: small integers, ordinary numbers, special ones, any bits, or all of these.
  private static final int SMALL = 0;
  private static final int SPECIAL = 2;
  private static final int BITS = 3;
  static final int MIXED = 4;

  /** Returns a literal of small integers, ordinary numbers, special ones, any bits, or all. */
  Literal literal(Shape shape) {
    return switch (shape) {
      case Shape.Array array -> literal(array, below(MIXED + 1));
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(this::literal).toList());
      case Shape.Token _, Shape.Buffer _, Shape.Opaque _ -> Literal.token();
    };
  }

  /** Returns a literal of one kind of numbers; ordinary programs have the first two kinds only. */
  Literal literal(Shape.Array shape, int manner) {
    ElementType part = shape.elementType().componentType();
    int own = restrictions.isOrdinary ? manner % SPECIAL : manner;
    return Literal.ofBits(shape, i -> bits(part, own == MIXED ? below(MIXED) : own));
  }

  /** Returns a literal of whole numbers. */
  Literal whole(Shape.Array shape, LongSupplier each) {
    return Literal.ofBits(shape.withElementType(ElementType.S64), i -> each.getAsLong())
        .convertElementType(shape.elementType());
  }

  /** Returns a scalar that simplifications look for. */
  Literal neutral(ElementType type) {
    return Literal.of(oneOf(List.of(0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 3.0, 1.0, 0.0)))
        .convertElementType(type);
  }

  private long bits(ElementType part, int manner) {
    if (manner == BITS) {
      return random.nextLong();
    } else if (part.isFloating()) {
      double number = manner == SMALL ? below(9) - 3 : random.nextGaussian() * 2;
      return part.encode(manner == SPECIAL && chance(3) ? special(part, number) : number);
    }
    long small = Math.clamp(below(13) - 4L, part.minLong(), part.bits() == 64 ? 8 : part.maxLong());
    return manner == SPECIAL
        ? oneOf(List.of(part.minLong(), part.maxLong(), 0L, 1L, small & 1))
        : small;
  }

  private double special(ElementType part, double number) {
    double infinite = Double.POSITIVE_INFINITY;
    double most = part.maxFinite();
    double least = part.decode(1);
    return oneOf(
        List.of(Double.NaN, infinite, -infinite, 0.0, -0.0, most, -most, least, 50 * number));
  }
}
