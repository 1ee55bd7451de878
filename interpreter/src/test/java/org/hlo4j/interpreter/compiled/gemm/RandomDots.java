package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;

/**
 * A random dot, made from a seed: its dimensions are in any order on both sides, and its sizes are
 * around those of tiles and blocks. All sums of its arguments are exact.
 */
final class RandomDots {
  /** The types of both sides and of the result. */
  private static final ImmutableList<String> TYPES =
      ImmutableList.of(
          "f32,f32,f32",
          "f32,f32,f32",
          "f32,f32,f32",
          "f32,f32,f32",
          "f64,f64,f64",
          "f64,f64,f64",
          "bf16,bf16,bf16",
          "bf16,bf16,f32",
          "f16,f16,f16",
          "f16,f16,f32",
          "f32,bf16,f32",
          "bf16,f32,f32",
          "f8e4m3fn,f8e5m2,f32",
          "s8,s8,s32",
          "u8,s8,s32",
          "s8,f32,f32",
          "s16,s16,s32",
          "s32,s32,s32",
          "s64,s64,s64",
          "u32,u32,u32",
          "s4,s4,s32",
          "c64,c64,c64",
          "c128,c128,c128",
          "f32,f32,f64");

  private static final ImmutableList<Integer> ROWS =
      ImmutableList.of(
          1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 20, 24, 25, 31, 36, 95, 96, 97, 110,
          111, 128, 129, 257);

  private static final ImmutableList<Integer> COLUMNS =
      ImmutableList.of(
          1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 47, 48, 49, 63,
          64, 65, 80, 96, 127, 128, 129, 130, 256, 257);

  private static final ImmutableList<Integer> STEPS =
      ImmutableList.of(
          1, 2, 3, 5, 8, 19, 20, 21, 31, 32, 33, 40, 63, 64, 65, 100, 127, 128, 255, 256, 257, 258,
          300, 511, 512, 513, 1000, 1023, 1024, 1025, 1040, 1043, 2048, 2100, 4097);

  /** A dimension of the product. */
  private record Dimension(char kind, int number, int size) {}

  private final Random random;
  private final String[] types;
  private final double most;

  private RandomDots(long seed, double most) {
    this.random = new Random(seed * 7919 + 5);
    this.types = pick(TYPES).split(",");
    this.most = most;
  }

  private <T> T pick(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /**
   * {@return a module whose root is a dot}
   *
   * @param most the number of its multiply-adds at most
   */
  static HloModule dot(long seed, double most) {
    return new RandomDots(seed, most).module(false);
  }

  /** {@return the same module, whose root subtracts the dot from a bias of each column} */
  static HloModule withBias(long seed, double most) {
    return new RandomDots(seed, most).module(true);
  }

  /** {@return dimensions of one kind, whose sizes have a product} */
  private List<Dimension> dimensions(char kind, int size) {
    List<Dimension> found = new ArrayList<>();
    int left = size;
    while (left > 1 && random.nextInt(3) == 0) {
      int divisor = divisor(left);
      found.add(new Dimension(kind, found.size(), divisor));
      left /= divisor;
    }
    if (left != 1 || random.nextBoolean()) {
      found.add(new Dimension(kind, found.size(), left));
    }
    return found;
  }

  private int divisor(int of) {
    List<Integer> all = IntStream.rangeClosed(1, of).filter(k -> of % k == 0).boxed().toList();
    return pick(all);
  }

  private HloModule module(boolean hasBias) {
    int batches = random.nextInt(4) == 0 ? pick(List.of(1, 2, 3, 4, 6, 12)) : 1;
    int rows;
    int columns;
    int steps;
    do {
      rows = pick(ROWS);
      columns = pick(COLUMNS);
      steps = pick(STEPS);
    } while ((double) batches * rows * columns * steps > most);
    int empty = random.nextInt(120);
    batches = empty == 0 ? 0 : batches;
    rows = empty == 1 ? 0 : rows;
    steps = empty == 2 ? 0 : steps;
    columns = empty == 3 ? 0 : columns;
    List<Dimension> batch = dimensions('b', batches);
    List<Dimension> free = dimensions('i', rows);
    List<Dimension> along = dimensions('k', steps);
    List<Dimension> other = dimensions('j', columns);
    List<Dimension> lhs = order(batch, free, along);
    List<Dimension> rhs = order(batch, along, other);
    List<Dimension> ofResult = new ArrayList<>(batch);
    ofResult.addAll(lhs.stream().filter(free::contains).toList());
    ofResult.addAll(rhs.stream().filter(other::contains).toList());
    String result = shape(types[2], ofResult);
    int last = ofResult.size() - 1;
    List<Dimension> ofBias = last < 0 ? ofResult : ofResult.subList(last, last + 1);
    String bias =
        """
          bias = %s parameter(2)
          biases = %s broadcast(bias), dimensions={%s}
          ROOT r = %s subtract(biases, c)
        """
            .formatted(shape(types[2], ofBias), result, last < 0 ? "" : last, result);
    return Parser.parse(
        """
        HloModule m
        ENTRY e {
          a = %s parameter(0)
          b = %s parameter(1)
          %sc = %s dot(a, b), lhs_batch_dims=%s, rhs_batch_dims=%s, lhs_contracting_dims=%s, rhs_contracting_dims=%s
        %s}
        """
            .formatted(
                shape(types[0], lhs),
                shape(types[1], rhs),
                hasBias ? "" : "ROOT ",
                result,
                places(batch, lhs),
                places(batch, rhs),
                places(along, lhs),
                places(along, rhs),
                hasBias ? bias : ""));
  }

  /** {@return dimensions as they are usual, or in any order} */
  private List<Dimension> order(
      List<Dimension> first, List<Dimension> second, List<Dimension> third) {
    List<Dimension> all = new ArrayList<>(first);
    boolean isUsual = random.nextBoolean();
    all.addAll(isUsual ? second : third);
    all.addAll(isUsual ? third : second);
    if (random.nextInt(4) == 0) {
      Collections.shuffle(all, random);
    }
    return all;
  }

  private static String shape(String type, List<Dimension> dimensions) {
    return type + dimensions.stream().map(Dimension::size).toList().toString().replace(" ", "");
  }

  private static String places(List<Dimension> of, List<Dimension> in) {
    return of.stream().map(in::indexOf).toList().toString().replace("[", "{").replace("]", "}");
  }

  /** {@return arguments of small integers, with one that is not finite now and then} */
  static Literal[] arguments(HloModule module, long seed) {
    Random random = new Random(seed);
    return module.entry().parameters().stream()
        .map(parameter -> argument((Shape.Array) parameter.shape().withoutLayout(), random))
        .toArray(Literal[]::new);
  }

  private static Literal argument(Shape.Array shape, Random random) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    ElementType part = shape.elementType().componentType();
    long components = shape.elementCount() * (shape.elementType().isComplex() ? 2 : 1);
    int special = random.nextInt(4) == 0 ? random.nextInt(2000) : -1;
    boolean isSigned = part.isFloating() || part.minLong() < 0;
    for (int i = 0; i < components; i++) {
      int value = isSigned ? random.nextInt(9) - 4 : random.nextInt(5);
      double number = i == special ? pick(random) : value;
      literal.setBits(i, part.isFloating() ? part.encode(part.round(number)) : value);
    }
    return literal.build();
  }

  private static double pick(Random random) {
    double[] all = {Double.NaN, Double.POSITIVE_INFINITY, -0.0, Double.NEGATIVE_INFINITY};
    return all[random.nextInt(all.length)];
  }
}
