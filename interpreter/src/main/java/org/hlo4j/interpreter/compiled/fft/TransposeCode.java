package org.hlo4j.interpreter.compiled.fft;

import java.util.Collections;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.LaneShuffle;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of a matrix transposition by square tiles in vector registers: {@code to[column *
 * toPart + row] = from[row * fromPart + column]}. A tile of w rows is transposed in log2(w) steps,
 * each of which interleaves row i with row i + w / 2.
 */
final class TransposeCode extends FftStepCode {
  static final int ARRAYS = 2;
  private static final int TO = 1;

  TransposeCode(CodeEmitter emitter) {
    super(emitter, Collections.nCopies(ARRAYS, ElementType.F64));
  }

  @Override
  int rowsAtOnce() {
    return emitter.width();
  }

  @Override
  void columns() {
    square(false);
    square(true);
  }

  private void square(boolean isImaginary) {
    int mark = emitter.mark();
    int side = emitter.width();
    Value[] rows = new Value[side];
    for (int i = 0; i < side; i++) {
      int row = i;
      rows[i] =
          load(
              ElementType.F64,
              0,
              () -> {
                code.iload(argument(StepArguments.FROM)).iload(column).iadd();
                code.iload(argument(StepArguments.FROM_PART)).loadConstant(row).imul().iadd();
                addIf(isImaginary, StepArguments.FROM_SHIFT);
              });
    }
    for (int left = side; left > 1; left /= 2) {
      Value[] next = new Value[side];
      for (int i = 0; i < side / 2; i++) {
        next[2 * i] = emitter.shuffle(LaneShuffle.LOWER, rows[i], rows[i + side / 2]);
        next[2 * i + 1] = emitter.shuffle(LaneShuffle.UPPER, rows[i], rows[i + side / 2]);
      }
      rows = next;
    }
    for (int i = 0; i < side; i++) {
      int row = i;
      store(
          ElementType.F64,
          TO,
          () -> {
            code.iload(argument(StepArguments.TO)).iload(column).loadConstant(row).iadd();
            code.iload(argument(StepArguments.TO_PART)).imul().iadd();
            addIf(isImaginary, StepArguments.TO_SHIFT);
          },
          rows[i]);
    }
    emitter.release(mark);
  }

  private void addIf(boolean isImaginary, int shift) {
    if (isImaginary) {
      code.iload(argument(shift)).iadd();
    }
  }

  @Override
  void endRow() {
    code.iload(argument(StepArguments.FROM_PART)).loadConstant(emitter.width()).imul();
    code.iload(argument(StepArguments.FROM)).iadd().istore(argument(StepArguments.FROM));
    code.iinc(argument(StepArguments.TO), emitter.width());
  }
}
