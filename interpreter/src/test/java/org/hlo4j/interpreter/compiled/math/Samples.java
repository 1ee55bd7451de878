package org.hlo4j.interpreter.compiled.math;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongPredicate;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.testing.Nightly;

/** Operands to try functions on: all elements of small types, else corner cases and random ones. */
final class Samples {
  private static final int ALL_UP_TO_BITS = 8;
  private static final boolean ARE_FEW =
      !Boolean.getBoolean("hlo4j.test.nightly") || Integer.getInteger("hlo4j.test.fewer", 1) > 1;

  /**
   * The number of elements that are combined in pairs: corner cases and random ones. A multiple of
   * 16, the elements of the widest vectors.
   */
  private static final int PAIRED = 80;

  /** With how many others each element is combined: with all, or with some at equal distances. */
  private static final int PARTNERS = ARE_FEW ? 5 : PAIRED;

  private static final int SINGLE = ARE_FEW ? 128 : 1024;
  private static final double[] CORNERS = {
    0.0,
    -0.0,
    1,
    -1,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    3,
    1e-3,
    255.5,
    65504,
    65520,
    1e30,
    0x1p23,
    0x1.8p52,
    0x1p31,
    -0x1p31,
    0x1p32,
    0x1p63,
    -0x1p63,
    0x1p64,
    2147483647.5,
    88.7,
    -103.9,
    Double.MIN_VALUE,
    Float.MIN_VALUE,
    0x1p-126,
    0x1p-1022,
    0x1.fffffcp-127,
    Float.MAX_VALUE,
    Double.MAX_VALUE,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };
  private static final long[] INTEGERS = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    100,
    127,
    128,
    255,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffffL,
    0x80000000L,
    0xffffffffL,
    0x1000001L,
    0x1010000L,
    0x1018001L,
    1L << 52,
    1L << 53,
    (1L << 53) + 1,
    0x80800000_00000001L,
    0x1008000_00000001L,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private Samples() {}

  /**
   * {@return whether a row is tried in a column, given the sum of their numbers: all are at night,
   * otherwise each row in each ninth column}
   */
  static boolean isTried(int sum) {
    return Nightly.isOn() || sum % 9 == 0;
  }

  /** {@return the bits of {@code count} elements of a type} */
  static long[] bits(ElementType type, int count) {
    List<Long> corners = new ArrayList<>();
    if (type.isFloating()) {
      for (double corner : CORNERS) {
        corners.add(type.encode(corner));
      }
    } else {
      for (long corner : INTEGERS) {
        corners.add(corner);
        corners.add(-corner);
      }
    }
    Random random = new Random(type.toString().hashCode());
    long[] bits = new long[count];
    for (int i = 0; i < count; i++) {
      bits[i] = i < corners.size() ? corners.get(i) : random(type, random);
    }
    return bits;
  }

  private static long random(ElementType type, Random random) {
    if (random.nextBoolean()) {
      return random.nextLong();
    }
    return type.isFloating() ? type.encode(10 * random.nextGaussian()) : random.nextInt(-70, 70);
  }

  /** {@return an array of elements for a function of one operand} */
  static Literal one(ElementType type) {
    return one(type, bits -> true);
  }

  /** {@return the same array, with 0 in place of elements that are not wanted} */
  static Literal one(ElementType type, LongPredicate wanted) {
    int count = 1 << Math.min(type.bits(), ALL_UP_TO_BITS);
    boolean all = type.bits() <= ALL_UP_TO_BITS;
    long[] bits = bits(type, all ? 0 : SINGLE);
    int length = Math.max(64, all ? count : bits.length);
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, length));
    for (int i = 0; i < length; i++) {
      long element = all ? i % count : bits[i];
      literal.setBits(i, wanted.test(element) ? element : 0);
    }
    return literal.build();
  }

  /** {@return all elements of a type of 16 bits} */
  static Literal all(ElementType type) {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, 1 << 16));
    for (int i = 0; i < 1 << 16; i++) {
      literal.setBits(i, i);
    }
    return literal.build();
  }

  /** {@return a few elements} */
  static Literal few(ElementType type) {
    long[] bits = bits(type, PAIRED);
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, PAIRED));
    for (int i = 0; i < PAIRED; i++) {
      literal.setBits(i, bits[i]);
    }
    return literal.build();
  }

  /** {@return two arrays that combine their elements in pairs} */
  static Literal[] pair(ElementType lhs, ElementType rhs) {
    return new Literal[] {paired(lhs, 0), paired(rhs, PAIRED / PARTNERS)};
  }

  /** Returns all elements in a row as often as each has partners, every row moved by a distance. */
  private static Literal paired(ElementType type, int distance) {
    long[] bits = bits(type, PAIRED);
    int length = PAIRED * PARTNERS;
    LiteralBuilder literal = new LiteralBuilder(Shape.of(type, length));
    for (int i = 0; i < length; i++) {
      literal.setBits(i, bits[(i + i / PAIRED * distance) % PAIRED]);
    }
    return literal.build();
  }
}
