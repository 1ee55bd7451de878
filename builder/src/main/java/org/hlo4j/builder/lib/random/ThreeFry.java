package org.hlo4j.builder.lib.random;

import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;

import java.util.List;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Shape;

/** The generator Threefry 2x32-20 of Salmon et al., Parallel Random Numbers, 2011. */
final class ThreeFry {
  private static final int ROUNDS = 20;
  private static final int[] ROTATIONS = {13, 15, 26, 6, 17, 29, 16, 24};
  private static final int PARITY = 0x1BD11BDA;

  private ThreeFry() {}

  /** Uses a counter for each element. */
  static RngOutput bits64(XlaOp key, XlaOp state, Shape.Array shape) {
    List<XlaOp> words = words(counters(state, shape), key);
    return new RngOutput(Words.joined(words.get(0), words.get(1)), after(state, shape));
  }

  /** Uses a counter for each pair of elements along one dimension. */
  static RngOutput bits32(XlaOp key, XlaOp state, Shape.Array shape) {
    Halves halves = Halves.of(shape);
    Shape.Array half = Shape.of(U32, halves.half());
    List<XlaOp> words = words(counters(state, half), key);
    return new RngOutput(halves.combined(words), after(state, half));
  }

  private static XlaOp counters(XlaOp state, Shape.Array shape) {
    Shape.Array flat = Shape.of(U64, shape.elementCount());
    return state.builder().iota(flat, 0).add(state).reshape(shape.sizes());
  }

  private static XlaOp after(XlaOp state, Shape.Array shape) {
    return state.add(Words.u64(state, shape.elementCount()));
  }

  private static List<XlaOp> words(XlaOp counters, XlaOp key) {
    XlaOp first = Words.low(key);
    XlaOp second = Words.high(key);
    List<XlaOp> keys = List.of(first, second, first.xor(second).xor(Words.u32(key, PARITY)));
    XlaOp x0 = Words.low(counters).add(first);
    XlaOp x1 = Words.high(counters).add(second);
    for (int round = 1; round <= ROUNDS; round++) {
      x0 = x0.add(x1);
      x1 = rotated(x1, ROTATIONS[(round - 1) % ROTATIONS.length]).xor(x0);
      if (round % 4 == 0) {
        int injection = round / 4;
        x0 = x0.add(keys.get(injection % 3));
        x1 = x1.add(keys.get((injection + 1) % 3).add(Words.u32(key, injection)));
      }
    }
    return List.of(x0, x1);
  }

  private static XlaOp rotated(XlaOp x, int distance) {
    XlaOp left = x.shiftLeft(Words.u32(x, distance));
    return left.or(x.shiftRightLogical(Words.u32(x, 32 - distance)));
  }
}
