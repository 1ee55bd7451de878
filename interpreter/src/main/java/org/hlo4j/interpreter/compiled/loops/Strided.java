package org.hlo4j.interpreter.compiled.loops;

import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Arrangement;
import org.hlo4j.interpreter.compiled.lanes.Lane;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * Vectors of elements that do not lie side by side in order: those of every other place, as the
 * parts of complex numbers are, and those that lie backwards.
 */
final class Strided {
  /** How far apart elements may lie of which two vectors are stored together. */
  static final int APART = 2;

  private static final int BACKWARDS = -1;

  private Strided() {}

  /** Whether {@link #read} can give vectors of elements so far apart. */
  static boolean isReadable(ElementType type, long stride) {
    return stride == 0
        || stride == 1
        || ((stride == APART || stride == BACKWARDS) && Lane.of(type) != Lane.MASK);
  }

  /** {@code array[index], array[index + stride], ...}; of single elements the first. */
  static Value read(Lanes lanes, ElementType type, int array, int index, long stride) {
    if (stride == 0) {
      return lanes.loadSplat(type, array, index);
    } else if (stride == 1 || lanes.width() == 1) {
      return lanes.load(type, array, index);
    } else if (stride == APART) {
      Value first = lanes.load(type, array, index);
      Value second = lanes.load(type, array, moved(lanes, index, lanes.width() - 1));
      return lanes.arranged(Arrangement.ALTERNATE, first, second);
    }
    Value last = lanes.load(type, array, moved(lanes, index, 1 - lanes.width()));
    return lanes.arranged(Arrangement.REVERSED, last, last);
  }

  /** {@code array[index] = a, array[index + 1] = b, array[index + 2] = next a, ...} */
  static void storePair(Lanes lanes, ElementType type, int array, int index, Value a, Value b) {
    lanes.store(type, array, index, lanes.arranged(Arrangement.LOWER, a, b));
    int next = moved(lanes, index, lanes.width());
    lanes.store(type, array, next, lanes.arranged(Arrangement.UPPER, a, b));
  }

  private static int moved(Lanes lanes, int index, int by) {
    int local = lanes.newLocal(TypeKind.INT);
    lanes.code().iload(index).loadConstant(by).iadd().istore(local);
    return local;
  }
}
