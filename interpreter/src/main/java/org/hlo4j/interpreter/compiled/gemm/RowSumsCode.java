package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Generates the class of a {@link RowSums}. The accumulators of a few rows at a time are in
 * registers; the horizontal sums of as many rows as a vector has lanes are computed together, also
 * in registers.
 */
final class RowSumsCode {
  /** The maximum number of iterations; C2 would strip-mine a longer loop. */
  static final int MAX_ITERATIONS = 960;

  private static final int SUMS_AT_ONCE = 8;
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
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
  private final ClassDesc vector;
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
  private final int product;

  private RowSumsCode(AccumulatorType accumulatorType, int lanes, CodeBuilder code) {
    this.accumulatorType = accumulatorType;
    this.lanes = lanes;
    this.code = code;
    this.vector = accumulatorType.vector();
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
    this.product = code.allocateLocal(TypeKind.REFERENCE);
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
    MicroKernelCode.emitWarmupPrologue(code, COUNT);
    ClassDesc array = accumulatorType.element().arrayType();
    for (int operand : new int[] {A, B, TO}) {
      code.aload(operand).checkcast(array).astore(operand);
    }
    code.iload(ITERATIONS).loadConstant(MAX_ITERATIONS);
    code.invokestatic(MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int)).istore(ITERATIONS);
    tree.emitPrologue(ORDER);
    code.iload(A_START).istore(rows[0]);
    Label body = code.newLabel();
    code.iconst_0().istore(group).labelBinding(body);
    code.iload(group).iload(COUNT).if_icmpge(end);
    int all = tree.emitSums(this::emitRowSum);
    code.aload(all).aload(TO);
    code.iload(TO_START).iload(group).loadConstant(lanes).imul().iadd();
    code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
    code.iinc(group, 1).goto_(body).labelBinding(end).return_();
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
      code.getstatic(vector, species(), SPECIES);
      code.invokestatic(vector, "zero", MethodTypeDesc.of(vector, SPECIES)).astore(sum);
    }
    Label body = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(iteration).labelBinding(body);
    code.iload(iteration).iload(ITERATIONS).if_icmpge(done);
    VectorClass type = tree.type();
    for (int v = 0; v < vectors; v++) {
      load(B, B_START, v, right);
      for (int i = 0; i < rowsAtOnce; i++) {
        load(A, rows[i], v, left);
        int sum = sums[i * vectors + v];
        MicroKernelCode.emitMultiplyAdd(code, accumulatorType, type, left, right, sum, product);
      }
    }
    code.iinc(iteration, 1).goto_(body).labelBinding(done);
    for (int sum : sums) {
      type.guard(sum);
    }
    code.iload(rows[rowsAtOnce - 1]).iload(A_STRIDE).iadd().istore(rows[0]);
  }

  private void load(int array, int start, int number, int to) {
    tree.emitLoad(
        array,
        () -> {
          code.iload(start).iload(iteration).loadConstant(Gemv.LANES).imul().iadd();
          code.loadConstant(number * lanes).iadd();
        },
        to);
  }

  private String species() {
    return VectorClass.species(lanes * accumulatorType.bits());
  }
}
