package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Generates the class of a {@link MicroKernel}. All accumulators are vector registers; each
 * iteration loads one vector for each column vector and broadcasts one element for each row. The
 * trip count is limited to 960, so that C2 sees a short loop. It would strip-mine a longer one
 * under G1, and then spill the accumulators.
 */
final class MicroKernelCode {
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int A_STEP = 4;
  private static final int B = 5;
  private static final int B_START = 6;
  private static final int B_STRIDE = 7;
  private static final int C = 8;
  private static final int C_START = 9;
  private static final int C_STRIDE = 10;
  private static final int STEPS = 11;
  private static final int ADD = 12;

  private final MicroKernelShape shape;
  private final CodeBuilder code;
  private final VectorCode vectors;
  private final int step;
  private final int rows;
  private final int left;
  private final int sums;
  private final int columns;
  private final Label impossible;

  private MicroKernelCode(MicroKernelShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.impossible = code.newLabel();
    this.vectors = new VectorCode(code, shape.accumulatorType(), shape.lanes(), impossible);
    this.step = code.allocateLocal(TypeKind.INT);
    this.left = code.allocateLocal(TypeKind.REFERENCE);
    this.rows = VectorCode.locals(code, TypeKind.INT, shape.rows());
    this.sums = VectorCode.locals(code, TypeKind.REFERENCE, shape.accumulatorCount());
    this.columns = VectorCode.locals(code, TypeKind.REFERENCE, shape.vectors());
  }

  /** {@return a micro-kernel of a new class} */
  static MicroKernel generate(MicroKernelShape shape) {
    String name = "Tile" + shape.accumulatorType() + shape.rows() + "x" + shape.width();
    return HiddenClasses.instance(
        MicroKernel.class, name, code -> new MicroKernelCode(shape, code).emit());
  }

  private void emit() {
    vectors.prologue(STEPS, A, B, C);
    vectors.limit(STEPS);
    for (int i = 0; i < shape.rows() && shape.rowStride() == 0; i++) {
      index(A_START, A_STRIDE, i, 0);
      code.istore(rows + i);
    }
    Label adding = code.newLabel();
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      vectors.zero(sums + i);
    }
    CountedLoop.fromZero(code, step, STEPS, this::emitStep);
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      vectors.guard(sums + i);
    }
    code.iload(ADD).ifne(adding);
    emitStores(false);
    code.labelBinding(adding);
    emitStores(true);
    code.labelBinding(impossible).return_();
  }

  /** Writes a step: loads a row of b and multiplies it with each element of a column of a. */
  private void emitStep() {
    for (int x = 0; x < shape.vectors(); x++) {
      int at = x * shape.lanes();
      vectors.load(B, () -> indexB(at), columns + x);
    }
    for (int i = 0; i < shape.rows(); i++) {
      int row = i;
      vectors.broadcast(A, () -> indexA(row), left);
      for (int x = 0; x < shape.vectors(); x++) {
        vectors.multiplyAdd(left, columns + x, sums + i * shape.vectors() + x);
      }
    }
  }

  private void emitStores(boolean add) {
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      int sum = i;
      if (add) {
        vectors.loadGuarded(C, () -> indexC(sum), left);
        vectors.add(sums + sum, left, sums + sum);
      }
      vectors.store(sums + sum, C, () -> indexC(sum));
    }
    code.return_();
  }

  /** Pushes the index of a vector of c. */
  private void indexC(int sum) {
    int offset = sum % shape.vectors() * shape.lanes();
    index(C_START, C_STRIDE, sum / shape.vectors(), offset);
  }

  /** Pushes the index of an element of the step's row of b. */
  private void indexB(int offset) {
    if (shape.isPacked()) {
      index(B_START, step, shape.width(), offset);
    } else {
      code.iload(B_START).iload(step).iload(B_STRIDE).imul().iadd().loadConstant(offset).iadd();
    }
  }

  /** Pushes the index of the step's element of row i of a. */
  private void indexA(int i) {
    if (shape.rowStride() != 0) {
      index(A_START, step, shape.stepStride(), i * shape.rowStride());
    } else if (shape.stepStride() != 0) {
      index(rows + i, step, shape.stepStride(), 0);
    } else {
      code.iload(rows + i).iload(step).iload(A_STEP).imul().iadd();
    }
  }

  /** Pushes {@code start + variable * factor + offset}. */
  private void index(int start, int variable, int factor, int offset) {
    code.iload(start).iload(variable).loadConstant(factor).imul().iadd();
    code.loadConstant(offset).iadd();
  }
}
