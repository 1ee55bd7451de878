package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Generates the class of a {@link RowSums}. The accumulators of a few rows at a time are in
 * registers; the horizontal sums of as many rows as a vector has lanes are computed together, also
 * in registers.
 */
final class RowSumsCode {
  private static final int SUMS_AT_ONCE = 8;
  private static final int A = 1;
  private static final int A_START = 2;
  private static final int A_STRIDE = 3;
  private static final int B = 4;
  private static final int B_START = 5;
  private static final int ITERATIONS = 6;
  private static final int TO = 7;
  private static final int TO_START = 8;
  private static final int COUNT = 9;
  private static final int ORDER = 10;

  private final AccumulatorType accumulatorType;
  private final int lanes;
  private final CodeBuilder code;
  private final int vectors;
  private final int rowsAtOnce;
  private final Label end;
  private final HorizontalSumTree tree;
  private final int group;
  private final int iteration;
  private final int[] rows;
  private final int[] sums;
  private final int left;
  private final int right;

  private RowSumsCode(AccumulatorType accumulatorType, int lanes, CodeBuilder code) {
    this.accumulatorType = accumulatorType;
    this.lanes = lanes;
    this.code = code;
    this.vectors = Gemv.LANES / lanes;
    this.rowsAtOnce = Math.clamp(SUMS_AT_ONCE / vectors, 1, lanes);
    this.end = code.newLabel();
    this.tree = new HorizontalSumTree(accumulatorType, lanes, code, end);
    this.group = code.allocateLocal(TypeKind.INT);
    this.iteration = code.allocateLocal(TypeKind.INT);
    this.rows = locals(TypeKind.INT, rowsAtOnce);
    this.sums = locals(TypeKind.REFERENCE, rowsAtOnce * vectors);
    this.left = code.allocateLocal(TypeKind.REFERENCE);
    this.right = code.allocateLocal(TypeKind.REFERENCE);
  }

  static RowSums of(AccumulatorType accumulatorType, int lanes) {
    return HiddenClasses.instance(
        RowSums.class,
        "RowSums" + accumulatorType + lanes,
        code -> new RowSumsCode(accumulatorType, lanes, code).emit());
  }

  private int[] locals(TypeKind kind, int count) {
    int[] locals = new int[count];
    for (int i = 0; i < count; i++) {
      locals[i] = code.allocateLocal(kind);
    }
    return locals;
  }

  private void emit() {
    tree.emitPrologue(COUNT, ORDER, A, B, TO);
    tree.vectors().limit(ITERATIONS);
    code.iload(A_START).istore(rows[0]);
    CountedLoop.fromZero(
        code,
        group,
        COUNT,
        () -> {
          int all = tree.emitSums(this::emitRowSum);
          tree.vectors()
              .store(
                  all,
                  TO,
                  () -> code.iload(TO_START).iload(group).loadConstant(lanes).imul().iadd());
        });
    code.labelBinding(end).return_();
  }

  /**
   * Writes the sums of a row as one vector and returns its local variable. The loop over a few rows
   * is written with the first of them.
   */
  private int emitRowSum(int row) {
    int number = row % rowsAtOnce;
    if (number == 0) {
      emitRows();
    }
    return emitAdded(number * vectors, 1);
  }

  /**
   * Writes the addition of the accumulators {@code first}, {@code first + apart} and so on of a
   * row, by halving, and returns the local variable of the result.
   */
  private int emitAdded(int first, int distance) {
    return distance < vectors
        ? tree.emitAdd(emitAdded(first, 2 * distance), emitAdded(first + distance, 2 * distance))
        : sums[first];
  }

  private void emitRows() {
    for (int i = 1; i < rowsAtOnce; i++) {
      code.iload(rows[i - 1]).iload(A_STRIDE).iadd().istore(rows[i]);
    }
    for (int sum : sums) {
      tree.vectors().zero(sum);
    }
    CountedLoop.fromZero(code, iteration, ITERATIONS, this::emitIteration);
    for (int sum : sums) {
      tree.vectors().guard(sum);
    }
    code.iload(rows[rowsAtOnce - 1]).iload(A_STRIDE).iadd().istore(rows[0]);
  }

  private void emitIteration() {
    for (int v = 0; v < vectors; v++) {
      load(B, B_START, v, right);
      for (int i = 0; i < rowsAtOnce; i++) {
        load(A, rows[i], v, left);
        tree.vectors().multiplyAdd(left, right, sums[i * vectors + v]);
      }
    }
  }

  private void load(int array, int start, int number, int to) {
    tree.vectors()
        .loadGuarded(
            array,
            () -> {
              code.iload(start).iload(iteration).loadConstant(Gemv.LANES).imul().iadd();
              code.loadConstant(number * lanes).iadd();
            },
            to);
  }
}
