package org.hlo4j.interpreter.compiled.random;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.RngBitGenerator;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.math.Philox;
import org.hlo4j.interpreter.math.Threefry;

/**
 * The kernel of {@code rng-bit-generator}: {@code (newState, bits) = f(state)}, the same bits as
 * XLA. Workers compute blocks of counters in parallel.
 */
public final class RngKernel implements Kernel {
  private static final int BLOCK = 1 << 10;

  private final RngBitGenerator.Algorithm algorithm;
  private final Shape.Array stateShape;
  private final Shape.Array shape;
  private final ElementType type;
  private final int count;
  private final boolean isWide;

  /**
   * The size of the dimension along which the two words of a Threefry counter are neighbours, and
   * its stride in elements.
   */
  private final int size;

  private final int inner;
  private final int pairs;

  public RngKernel(RngBitGenerator op, Shape.Tuple shapes) {
    this.algorithm = op.algorithm();
    this.stateShape = (Shape.Array) shapes.elements().get(0);
    this.shape = (Shape.Array) shapes.elements().get(1);
    this.type = shape.elementType();
    this.count = (int) shape.elementCount();
    this.isWide = type.bits() == 64;
    int split = pairedDimension(shape);
    boolean empty = count == 0 || shape.isScalar();
    this.size = empty ? 1 : shape.sizes().getInt(split);
    this.inner = empty ? 1 : (int) shape.sizes().rowMajorStrides().get(split);
    this.pairs = size / 2 + size % 2;
  }

  /** Returns the first dimension of even size or, if all are odd, the first of the largest size. */
  private static int pairedDimension(Shape.Array shape) {
    int largest = 0;
    for (int d = 0; d < shape.rank(); d++) {
      if (shape.size(d) % 2 == 0) {
        return d;
      }
      largest = shape.size(d) > shape.size(largest) ? d : largest;
    }
    return largest;
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    long[] state = (long[]) operands[0].unsafeStorage();
    long[] next = (long[]) context.allocate(stateShape);
    Object bits = context.allocate(shape);
    boolean threefry = algorithm == RngBitGenerator.Algorithm.RNG_THREE_FRY;
    int perCounter = isWide ? (threefry ? 1 : 2) : threefry ? 2 : 4;
    int counters = threefry && !isWide ? count / size * pairs : Math.ceilDiv(count, perCounter);
    new Parallel(context, counters, BLOCK)
        .run((first, end) -> {
          if (threefry) {
            threefry(state, bits, first, end - first);
          } else {
            philox(state, bits, first, end - first);
          }
        });
    next(state, next, counters);
    return Literal.tuple(Literal.unsafeOf(stateShape, next), Literal.unsafeOf(shape, bits));
  }

  private void next(long[] state, long[] next, int counters) {
    next[0] = state[0];
    next[1] = state[1] + counters;
    if (stateShape.elementCount() == 3) {
      next[2] = Long.compareUnsigned(next[1], state[1]) < 0 ? state[2] + 1 : state[2];
    }
  }

  private void threefry(long[] state, Object bits, int first, int length) {
    int[] x = new int[length];
    int[] y = new int[length];
    Threefry.words(state[1] + first, state[0], x, y, length);
    if (isWide) {
      for (int i = 0; i < length; i++) {
        store(bits, first + i, joined(x[i], y[i]));
      }
      return;
    }
    for (int i = 0; i < length; ) {
      int counter = first + i;
      int within = counter % inner;
      int pair = counter / inner % pairs;
      int at = (counter / inner / pairs * size + 2 * pair) * inner + within;
      boolean both = 2 * pair + 1 < size;
      int run = Math.min(length - i, inner - within);
      if (inner == 1) {
        run = Math.min(length - i, pairs - pair);
        run -= pair + run == pairs && size % 2 == 1 && run > 1 ? 1 : 0;
        store(bits, at, 2, x, i, run);
        store(bits, at + 1, 2, y, i, both ? run : 0);
      } else {
        store(bits, at, 1, x, i, run);
        store(bits, at + inner, 1, y, i, both ? run : 0);
      }
      i += run;
    }
  }

  /**
   * Computes the words in row-major order. If the state has only two words, the key is also the
   * high half of the counter.
   */
  private void philox(long[] state, Object bits, int first, int length) {
    int[] words = new int[4 * length];
    long high = state[stateShape.elementCount() == 3 ? 2 : 0];
    for (int i = 0; i < length; i++) {
      long low = state[1] + first + i;
      long carry = Long.compareUnsigned(low, state[1]) < 0 ? 1 : 0;
      Philox.words(low, high + carry, state[0], words, 4 * i);
    }
    if (isWide) {
      for (int i = 0; i < 2 * length && 2 * first + i < count; i++) {
        store(bits, 2 * first + i, joined(words[2 * i], words[2 * i + 1]));
      }
      return;
    }
    store(bits, 4 * first, 1, words, 0, Math.min(4 * length, count - 4 * first));
  }

  /** Stores {@code bits[at + i * step] = words[from + i]} for {@code 0 <= i < length}. */
  private void store(Object bits, int at, int step, int[] words, int from, int length) {
    if (bits instanceof int[] ints) {
      for (int i = 0; i < length; i++) {
        ints[at + i * step] = words[from + i];
      }
    } else {
      for (int i = 0; i < length; i++) {
        store(bits, at + i * step, words[from + i]);
      }
    }
  }

  private static long joined(int low, int high) {
    return (low & 0xFFFFFFFFL) | ((long) high << 32);
  }

  /** Stores as many low bits of a value as the type has. */
  private void store(Object bits, int at, long value) {
    boolean isNarrow = type.bits() < Byte.SIZE;
    long narrow = type.isFloating() ? value & ((1L << type.bits()) - 1) : type.wrap(value);
    Storages.setBits(bits, at, isNarrow ? narrow : value);
  }

  @Override
  public String describe() {
    return "rng-bit-generator of " + shape + " by " + algorithm;
  }
}
