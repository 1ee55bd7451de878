package org.hlo4j.interpreter.compiled.loops;

import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * Vectors of elements that are not contiguous in order: those of every other place, as the parts of
 * complex numbers are, and those that lie backwards.
 */
final class StridedVectors {
  /** How far apart elements may lie of which two vectors are stored together. */
  static final int APART = 2;

  private static final int BACKWARDS = -1;

  private StridedVectors() {}

  /** Whether {@link #read} can give vectors of elements so far apart. */
  static boolean isReadable(ElementType type, long stride) {
    return stride == 0
        || stride == 1
        || ((stride == APART || stride == BACKWARDS) && Lane.of(type) != Lane.MASK);
  }

  /** {@code array[index], array[index + stride], ...}; of single elements the first. */
  static Value read(CodeEmitter emitter, ElementType type, int array, int index, long stride) {
    if (stride == 0) {
      return emitter.loadSplat(type, array, index);
    } else if (stride == 1 || emitter.width() == 1) {
      return emitter.load(type, array, index);
    } else if (stride == APART) {
      Value first = emitter.load(type, array, index);
      Value second = emitter.load(type, array, moved(emitter, index, emitter.width() - 1));
      return emitter.arranged(LaneShuffle.ALTERNATE, first, second);
    }
    Value last = emitter.load(type, array, moved(emitter, index, 1 - emitter.width()));
    return emitter.arranged(LaneShuffle.REVERSED, last, last);
  }

  /** {@code array[index] = a, array[index + 1] = b, array[index + 2] = next a, ...} */
  static void storePair(
      CodeEmitter emitter, ElementType type, int array, int index, Value a, Value b) {
    emitter.store(type, array, index, emitter.arranged(LaneShuffle.LOWER, a, b));
    int next = moved(emitter, index, emitter.width());
    emitter.store(type, array, next, emitter.arranged(LaneShuffle.UPPER, a, b));
  }

  private static int moved(CodeEmitter emitter, int index, int by) {
    int local = emitter.newLocal(TypeKind.INT);
    emitter.code().iload(index).loadConstant(by).iadd().istore(local);
    return local;
  }
}
