package org.hlo4j.builder.lib.random;

import static org.hlo4j.hlo.ElementType.U64;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Shape;

/** The generator Philox 4x32-10 of Salmon et al., Parallel Random Numbers, 2011. */
final class Philox {
  private static final int ROUNDS = 10;
  private static final int MULTIPLIER_0 = 0xD2511F53;
  private static final int MULTIPLIER_1 = 0xCD9E8D57;
  private static final int KEY_STEP_0 = 0x9E3779B9;
  private static final int KEY_STEP_1 = 0xBB67AE85;

  /** The key with which keys are scrambled, as in XLA and TensorFlow. */
  private static final int SCRAMBLER_0 = 0x3ec8f720;

  private static final int SCRAMBLER_1 = 0x02461e29;

  private Philox() {}

  /** Returns four random words of 32 bits for each counter of 128 bits. */
  private static List<XlaOp> words(List<XlaOp> counter, XlaOp key0, XlaOp key1) {
    List<XlaOp> c = counter;
    XlaOp k0 = key0;
    XlaOp k1 = key1;
    for (int round = 0; round < ROUNDS; round++) {
      XlaOp product0 = product(c.get(0), MULTIPLIER_0);
      XlaOp product1 = product(c.get(2), MULTIPLIER_1);
      c =
          List.of(
              Words.high(product1).xor(c.get(1)).xor(k0),
              Words.low(product1),
              Words.high(product0).xor(c.get(3)).xor(k1),
              Words.low(product0));
      k0 = k0.add(Words.u32(k0, KEY_STEP_0));
      k1 = k1.add(Words.u32(k1, KEY_STEP_1));
    }
    return c;
  }

  private static XlaOp product(XlaOp word, int multiplier) {
    return word.convertElementType(U64).mul(Words.u64(word, Integer.toUnsignedLong(multiplier)));
  }

  /** Returns the words in row-major order. */
  static RngOutput bits32(XlaOp key, XlaOp state, Shape.Array shape) {
    long count = shape.elementCount();
    long blocks = count / 4 + (count % 4 == 0 ? 0 : 1);
    List<XlaOp> words = blocks(key, state, blocks);
    return new RngOutput(rowMajor(words, shape), increased(state, Words.u64(state, blocks)));
  }

  static RngOutput bits64(XlaOp key, XlaOp state, Shape.Array shape) {
    long count = shape.elementCount();
    long blocks = count / 2 + count % 2;
    List<XlaOp> words = blocks(key, state, blocks);
    List<XlaOp> pairs =
        List.of(Words.joined(words.get(0), words.get(1)), Words.joined(words.get(2), words.get(3)));
    return new RngOutput(rowMajor(pairs, shape), increased(state, Words.u64(state, blocks)));
  }

  /** Interleaves arrays: element k of each group is from array k. */
  private static XlaOp rowMajor(List<XlaOp> arrays, Shape.Array shape) {
    long groups = arrays.get(0).arrayShape().size(0);
    List<XlaOp> columns = arrays.stream().map(array -> array.reshape(groups, 1)).toList();
    XlaOp all = arrays.get(0).builder().concatInDim(columns, 1).reshape(groups * arrays.size());
    return all.sliceInDim(0, shape.elementCount(), 1, 0).reshape(shape.sizes());
  }

  /** Returns the random words of {@code count} counters, beginning with the state. */
  private static List<XlaOp> blocks(XlaOp key, XlaOp state, long count) {
    XlaOp first = Words.element(state, 0);
    XlaOp low = state.builder().iota(U64, count).add(first);
    XlaOp high = Words.carry(low, first.broadcast(count)).add(Words.element(state, 1));
    List<XlaOp> counters =
        List.of(Words.low(low), Words.high(low), Words.low(high), Words.high(high));
    return words(counters, Words.low(key), Words.high(key));
  }

  static XlaOp increased(XlaOp counter, XlaOp delta) {
    XlaOp first = Words.element(counter, 0);
    XlaOp low = first.add(delta);
    XlaOp high = Words.element(counter, 1).add(Words.carry(low, first));
    return Prng.concatScalars(counter.builder(), List.of(low, high));
  }

  /** Returns a key and a state from the random words of the counter (low key, 0, high key, 0). */
  static RngOutput scrambled(XlaOp key) {
    XlaOp zero = Words.u32(key, 0);
    List<XlaOp> words =
        words(
            List.of(Words.low(key), zero, Words.high(key), zero),
            Words.u32(key, SCRAMBLER_0),
            Words.u32(key, SCRAMBLER_1));
    XlaOp high = Words.joined(words.get(2), words.get(3));
    XlaOp state = Prng.concatScalars(key.builder(), List.of(Words.u64(key, 0), high));
    return new RngOutput(Words.joined(words.get(0), words.get(1)), state);
  }
}
