package org.hlo4j.interpreter.compiled.loops;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Vector loads and stores of elements that are not contiguous: with stride 2, like the real or the
 * imaginary parts of complex numbers, and with stride -1.
 */
final class StridedVectors {
  /** The stride of the elements of each of two vectors that are stored interleaved. */
  static final int PAIR_STRIDE = 2;

  private static final int REVERSE_STRIDE = -1;

  private StridedVectors() {}

  /** Returns whether {@link #read} can load vectors with a stride. */
  static boolean isReadable(ElementType type, long stride) {
    return stride == 0
        || stride == 1
        || ((stride == PAIR_STRIDE || stride == REVERSE_STRIDE) && Lane.of(type) != Lane.MASK);
  }

  /** Loads {@code array[index], array[index + stride], ...}; in scalar code only the first. */
  static Value read(CodeEmitter emitter, ElementType type, int array, int index, long stride) {
    if (stride == 0) {
      return emitter.loadSplat(type, array, index);
    } else if (stride == 1 || emitter.width() == 1) {
      return emitter.load(type, array, index);
    } else if (stride == PAIR_STRIDE) {
      Value first = emitter.load(type, array, index);
      Value second = emitter.load(type, array, emitter.sum(emitter.width() - 1, index));
      return emitter.shuffle(LaneShuffle.ALTERNATE, first, second);
    }
    Value last = emitter.load(type, array, emitter.sum(1 - emitter.width(), index));
    return emitter.shuffle(LaneShuffle.REVERSED, last, last);
  }

  /** {@code array[index] = a, array[index + 1] = b, array[index + 2] = next a, ...} */
  static void storePair(
      CodeEmitter emitter, ElementType type, int array, int index, Value a, Value b) {
    emitter.store(type, array, index, emitter.shuffle(LaneShuffle.LOWER, a, b));
    int next = emitter.sum(emitter.width(), index);
    emitter.store(type, array, next, emitter.shuffle(LaneShuffle.UPPER, a, b));
  }
}
