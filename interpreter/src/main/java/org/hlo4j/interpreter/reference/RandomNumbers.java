package org.hlo4j.interpreter.reference;

import static org.hlo4j.hlo.HloException.require;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Rng;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.hlo.op.RngGetAndUpdateState;
import org.hlo4j.interpreter.engine.Execution;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.RandomState;
import org.hlo4j.interpreter.math.Philox;
import org.hlo4j.interpreter.math.Threefry;

/** Ops that generate random bits and numbers. */
final class RandomNumbers {

  private RandomNumbers() {}

  /** {@code (newState, bits) = f(state)}, with the same bits as XLA. */
  static Literal rngBitGenerator(RngBitGenerator op, Literal state, Shape.Tuple shape) {
    Shape.Array bits = (Shape.Array) shape.elements().get(1);
    return switch (op.algorithm()) {
      case RNG_THREE_FRY -> threefry(state, bits);
      case RNG_PHILOX, RNG_DEFAULT -> philox(state, bits);
    };
  }

  /**
   * Generates bits with Threefry. Each counter gives a pair of words, and the pairs run along one
   * dimension: the first of even size or, if all are odd, the largest. An element of a 64-bit type
   * takes a pair, and thus a counter of its own.
   */
  private static Literal threefry(Literal state, Shape.Array shape) {
    long key = state.longAt(0);
    long first = state.longAt(1);
    LiteralBuilder bits = new LiteralBuilder(shape);
    if (shape.elementType().bits() == 64) {
      for (int i = 0; i < shape.elementCount(); i++) {
        int[] words = Threefry.words(first + i, key);
        set(bits, i, shape.elementType(), RandomState.toLong(words[0], words[1]));
        Limits.checkAt(i);
      }
      return withState(state, first + shape.elementCount(), 0, bits);
    }
    Dims sizes = shape.isScalar() ? Dims.of(1) : shape.sizes();
    int split = pairedDimension(sizes);
    long size = sizes.get(split);
    long pairs = size / 2 + size % 2;
    long inner = sizes.subList(split + 1, sizes.count()).product();
    for (int i = 0; i < shape.elementCount(); i++) {
      long along = i / inner % size;
      long counter = (i / (inner * size) * pairs + along / 2) * inner + i % inner;
      int word = Threefry.words(first + counter, key)[(int) (along % 2)];
      set(bits, i, shape.elementType(), word);
      Limits.checkAt(i);
    }
    long used = sizes.with(split, pairs).product();
    return withState(state, first + used, 0, bits);
  }

  private static int pairedDimension(Dims sizes) {
    int largest = 0;
    for (int i = 0; i < sizes.count(); i++) {
      if (sizes.get(i) % 2 == 0) {
        return i;
      }
      largest = sizes.get(i) > sizes.get(largest) ? i : largest;
    }
    return largest;
  }

  /**
   * Generates bits with Philox, in row-major order. With a state of two words, the key is also the
   * high half of the counter.
   */
  private static Literal philox(Literal state, Shape.Array shape) {
    boolean wide = state.elementCount() == 3;
    long key = state.longAt(0);
    long low = state.longAt(1);
    long high = state.longAt(wide ? 2 : 0);
    boolean isDouble = shape.elementType().bits() == 64;
    int perBlock = isDouble ? 2 : 4;
    LiteralBuilder bits = new LiteralBuilder(shape);
    int count = (int) shape.elementCount();
    for (int i = 0; i < count; i += perBlock) {
      long block = i / perBlock;
      int[] words = Philox.words(low + block, plusCarry(low, block, high), key);
      for (int k = 0; k < perBlock && i + k < count; k++) {
        long value = isDouble ? RandomState.toLong(words[2 * k], words[2 * k + 1]) : words[k];
        set(bits, i + k, shape.elementType(), value);
      }
      Limits.checkAt(i / perBlock);
    }
    long blocks = (long) count / perBlock + (count % perBlock == 0 ? 0 : 1);
    return withState(state, low + blocks, plusCarry(low, blocks, high), bits);
  }

  private static long plusCarry(long low, long added, long high) {
    return Long.compareUnsigned(low + added, low) < 0 ? high + 1 : high;
  }

  /** Stores as many low bits as the type has. */
  private static void set(LiteralBuilder bits, int i, ElementType type, long value) {
    if (type.isFloating()) {
      bits.setBits(i, type.bits() == 64 ? value : value & ((1L << type.bits()) - 1));
    } else {
      bits.setLong(i, value);
    }
  }

  private static Literal withState(Literal state, long low, long high, LiteralBuilder bits) {
    LiteralBuilder next = new LiteralBuilder(state.arrayShape());
    next.copy(0, state, 0);
    next.setLong(1, low);
    if (state.elementCount() == 3) {
      next.setLong(2, high);
    }
    return Literal.tuple(next.build(), bits.build());
  }

  /** Returns the state before {@code delta} is added to it. */
  static Literal rngGetAndUpdateState(RngGetAndUpdateState op, Execution execution) {
    long[] before = execution.random().getAndAdd(op.delta());
    LiteralBuilder result = new LiteralBuilder(Shape.of(ElementType.U64, 2));
    result.setLong(0, before[0]);
    result.setLong(1, before[1]);
    return result.build();
  }

  /** Generates each element from 128 random bits of its own. */
  static Literal rng(Rng op, Literal a, Literal b, Execution execution) {
    LiteralBuilder result = new LiteralBuilder(op.shape());
    if (op.distribution() == Rng.Distribution.RNG_UNIFORM) {
      requireInterval(a, b);
    }
    for (int i = 0; i < op.shape().elementCount(); i++) {
      long[] bits = execution.random().next();
      if (!a.elementType().isFloating()) {
        result.setLong(i, uniform(a.longAt(0), b.longAt(0), bits));
      } else if (op.distribution() == Rng.Distribution.RNG_UNIFORM) {
        setUniform(result, i, a, b, bits);
      } else {
        result.setDouble(i, a.doubleAt(0) + b.doubleAt(0) * normal(bits));
      }
      Limits.checkAt(i);
    }
    return result.build();
  }

  private static void requireInterval(Literal a, Literal b) {
    boolean holds =
        switch (a.elementType().kind()) {
          case FLOAT ->
              a.doubleAt(0) < b.doubleAt(0) && Double.isFinite(b.doubleAt(0) - a.doubleAt(0));
          case UNSIGNED -> Long.compareUnsigned(a.longAt(0), b.longAt(0)) < 0;
          case SIGNED, PRED -> a.longAt(0) < b.longAt(0);
          case COMPLEX -> false;
        };
    require(
        holds,
        "",
        "rng: interval from %s to %s, want a below b, and a finite distance",
        a.toHloText(),
        b.toHloText());
  }

  /** Returns {@code a + floor(bits / 2^128 * (b - a))}, all unsigned. */
  private static long uniform(long a, long b, long[] bits) {
    long range = b - a;
    long middle = bits[1] * range;
    long carry = plusCarry(middle, Math.unsignedMultiplyHigh(bits[0], range), 0);
    return a + Math.unsignedMultiplyHigh(bits[1], range) + carry;
  }

  /** Stores a uniform number rounded to the type, or the value below b if rounding gives b. */
  private static void setUniform(LiteralBuilder result, int i, Literal a, Literal b, long[] bits) {
    ElementType type = a.elementType();
    double low = a.doubleAt(0);
    double value = type.round(low + (b.doubleAt(0) - low) * unit(bits[0]));
    if (value < b.doubleAt(0)) {
      result.setDouble(i, value);
    } else {
      result.setBits(i, below(type, b));
    }
  }

  private static long below(ElementType type, Literal b) {
    double value = b.doubleAt(0);
    long bits = type.encode(value);
    if (value == 0) {
      return (1L << (type.bits() - 1)) | 1;
    }
    return value > 0 ? bits - 1 : bits + 1;
  }

  /** Returns 53 of the bits as a number from 0 to below 1. */
  private static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** Returns a normally distributed number by the Box-Muller transform of two uniform numbers. */
  private static double normal(long[] bits) {
    double radius = Math.sqrt(-2 * StrictMath.log(1 - unit(bits[0])));
    return radius * StrictMath.cos(2 * Math.PI * unit(bits[1]));
  }
}
