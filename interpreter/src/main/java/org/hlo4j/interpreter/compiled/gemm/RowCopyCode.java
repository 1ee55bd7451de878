package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Generates the class of a kernel that copies rows of a few vectors: {@code c[cStart + k * cStride
 * + j] = a[aStart + k * aStride + j]} for k below {@code steps}. A call of {@code System.arraycopy}
 * for each row would take five times as long.
 */
final class RowCopyCode {
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int C = 8;
  private static final int C_START = 9;
  private static final int C_STRIDE = 10;
  private static final int STEPS = 11;

  private RowCopyCode() {}

  static MicroKernel generate(MicroKernelShape shape) {
    String name = "Copy" + shape.accumulatorType() + shape.width();
    return HiddenClasses.instance(MicroKernel.class, name, code -> emit(shape, code));
  }

  private static void emit(MicroKernelShape shape, CodeBuilder code) {
    Label impossible = code.newLabel();
    VectorCode vectors = new VectorCode(code, shape.accumulatorType(), shape.lanes(), impossible);
    int step = code.allocateLocal(TypeKind.INT);
    int copied = code.allocateLocal(TypeKind.REFERENCE);
    vectors.prologue(STEPS, A, C);
    CountedLoop.fromZero(
        code,
        step,
        STEPS,
        () -> {
          for (int j = 0; j < shape.width(); j += shape.lanes()) {
            int offset = j;
            vectors.loadGuarded(A, () -> index(code, A_START, step, A_STRIDE, offset), copied);
            vectors.store(copied, C, () -> index(code, C_START, step, C_STRIDE, offset));
          }
        });
    code.labelBinding(impossible).return_();
  }

  /** Pushes {@code start + step * stride + offset}. */
  private static void index(CodeBuilder code, int start, int step, int stride, int offset) {
    code.iload(start).iload(step).iload(stride).imul().iadd().loadConstant(offset).iadd();
  }
}
