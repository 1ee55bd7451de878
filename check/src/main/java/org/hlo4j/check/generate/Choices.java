package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Splitter;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;

/** Random decisions, reproducible from a seed, and the sizes and types that one module uses. */
final class Choices {
  private static final int MAX_ELEMENTS = 4_000;
  private static final long[] SIZES = {0, 1, 1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 32, 33, 64, 257};

  /** The types of which programs mostly are, as often as they are drawn. */
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
  private final long[] sizes;

  Choices(long seed) {
    this(seed, Restrictions.NONE);
  }

  Choices(long seed, Restrictions restrictions) {
    this(seed, restrictions, false);
  }

  /**
   * Creates the choices of a program.
   *
   * @param isWide whether all types are as likely, and sizes are primes of all magnitudes
   */
  Choices(long seed, Restrictions restrictions, boolean isWide) {
    this.random = new SplittableRandom(seed);
    this.restrictions = restrictions;
    List<ElementType> all = ALL.stream().filter(restrictions::allows).toList();
    List<ElementType> common = COMMON.stream().filter(restrictions::allows).toList();
    List<ElementType> usual = common.isEmpty() ? all : common;
    this.types =
        IntStream.range(0, 3)
            .mapToObj(
                i -> oneOf(chance(isWide && !restrictions.isPortable() ? 2 : 4) ? all : usual))
            .toList();
    this.sizes =
        IntStream.range(0, 3)
            .mapToLong(i -> isWide ? anySize() : SIZES[below(SIZES.length)])
            .toArray();
  }

  /** Returns 0, 1, 2, a number below 10, or a prime of up to 10 bits, each magnitude as likely. */
  private long anySize() {
    return switch (below(16)) {
      case 0 -> 0;
      case 1, 2 -> 1;
      case 3, 4 -> 2;
      case 5, 6, 7, 8, 9 -> 3 + below(7);
      default -> {
        int most = 1 << (3 + below(8));
        yield BigInteger.valueOf(most / 2 + below(most / 2)).nextProbablePrime().longValue();
      }
    };
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

  /** Returns one of the types of this module. */
  ElementType type() {
    return oneOf(types);
  }

  /** Returns a type of those that suit: one of this module, or any other. */
  ElementType type(Predicate<ElementType> suits) {
    List<ElementType> own = types.stream().filter(suits).toList();
    return own.isEmpty() || chance(6)
        ? oneOf(ALL.stream().filter(suits.and(restrictions::allows)).toList())
        : oneOf(own);
  }

  /** Returns a type of this module, or any other. */
  ElementType anyType() {
    return type(type -> true);
  }

  /** Returns a type of these kinds. */
  ElementType type(ElementType.Kind... kinds) {
    return type(type -> Arrays.asList(kinds).contains(type.kind()));
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

  /** Returns a type of this module if it is a float, else f32. */
  ElementType floatType() {
    ElementType type = type();
    return type.isFloating() ? type : ElementType.F32;
  }

  /** Returns one of the sizes of this module. */
  long size() {
    return sizes[below(sizes.length)];
  }

  /**
   * Returns the sizes of a small array, or occasionally of one large enough to be split among
   * threads.
   */
  Dims sizes() {
    if (chance(60) && restrictions.maxElements() >= 70_000) {
      return Dims.of(20_000 + below(50_000));
    }
    Dims dims = Dims.of();
    int rank = below(4);
    while (dims.count() < rank && dims.product() * 17 <= MAX_ELEMENTS) {
      long size = size();
      dims = dims.inserted(dims.count(), dims.product() * size > MAX_ELEMENTS ? 3 : size);
    }
    return dims;
  }

  Shape.Array shape() {
    return Shape.of(type(), sizes());
  }

  /** Returns a random permutation of the dimensions. */
  Dims permutation(int rank) {
    Dims left = Dims.range(0, rank);
    Dims order = Dims.of();
    while (!left.isEmpty()) {
      int next = below(left.count());
      order = order.inserted(order.count(), left.get(next));
      left = left.without(Dims.of(next));
    }
    return order;
  }

  /** Returns a random subset of the dimensions, in order. */
  Dims subset(int rank) {
    return Dims.of(IntStream.range(0, rank).filter(i -> chance(2)).asLongStream().toArray());
  }

  // Values.

  /** How all elements of one literal are chosen. */
  private enum Manner {
    SMALL,
    NORMAL,
    SPECIAL,
    BITS,
    MIXED
  }

  private static final List<Manner> UNMIXED =
      List.of(Manner.SMALL, Manner.NORMAL, Manner.SPECIAL, Manner.BITS);

  /**
   * Returns a literal of small integers, ordinary numbers, ordinary and special numbers, any bits,
   * or all of these.
   */
  Literal literal(Shape.Array shape) {
    return restrictions.isOrdinary()
        ? ordinary(shape)
        : literal(shape, oneOf(List.of(Manner.values())));
  }

  /** Returns a literal of small integers, ordinary numbers, special numbers and any bits. */
  Literal mixed(Shape.Array shape) {
    return restrictions.isOrdinary() ? ordinary(shape) : literal(shape, Manner.MIXED);
  }

  /** Returns a literal of small integers or ordinary numbers. */
  Literal ordinary(Shape.Array shape) {
    return literal(shape, chance(2) ? Manner.SMALL : Manner.NORMAL);
  }

  /** Returns a literal of whole numbers from one to another. */
  Literal whole(Shape.Array shape, long least, long most) {
    return Literal.ofBits(shape, i -> between(least, most));
  }

  private Literal literal(Shape.Array shape, Manner manner) {
    ElementType part = shape.elementType().componentType();
    return Literal.ofBits(shape, i -> bits(part, manner));
  }

  private long bits(ElementType part, Manner manner) {
    if (manner == Manner.MIXED) {
      return bits(part, oneOf(UNMIXED));
    }
    long any = random.nextLong();
    if (!part.isFloating()) {
      long small = below(13) - (part.minLong() < 0 ? 4L : 0L);
      return switch (manner) {
        case SMALL, NORMAL -> Math.clamp(small, part.minLong(), most(part));
        case SPECIAL -> oneOf(List.of(part.minLong(), part.maxLong(), 0L, 1L, small & 1));
        case BITS, MIXED -> any;
      };
    }
    return switch (manner) {
      case SMALL -> part.encode(below(9) - 3);
      case NORMAL -> part.encode(random.nextGaussian() * 2);
      case SPECIAL -> chance(3) ? special(part) : part.encode(random.nextGaussian() * 2);
      case BITS, MIXED -> any;
    };
  }

  private static long most(ElementType part) {
    return part.bits() == 64 ? Long.MAX_VALUE : part.maxLong();
  }

  private long special(ElementType part) {
    return switch (below(9)) {
      case 0 -> part.encode(Double.NaN);
      case 1 -> part.encode(Double.POSITIVE_INFINITY);
      case 2 -> part.encode(Double.NEGATIVE_INFINITY);
      case 3 -> part.encode(-0.0);
      case 4 -> part.encode(0.0);
      case 5 -> part.encode(part.maxFinite());
      case 6 -> part.encode(-part.maxFinite());
      case 7 -> 1; // the least denormal
      default -> part.encode(random.nextGaussian() * 100);
    };
  }
}
