package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.function.IntConsumer;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Generates the class of a {@link MicroKernel}. All accumulators are vector registers; each
 * iteration loads one vector for each column vector and broadcasts one element for each row. The
 * trip count is limited to 960, so that C2 sees a short loop. It would strip-mine a longer one
 * under G1, and then spill the accumulators.
 */
final class MicroKernelCode {
  static final int MAX_STEPS = 960;
  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");
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
  private final ClassDesc array;
  private final ClassDesc vector;
  private final int step;
  private final int rows;
  private final int left;
  private final int product;
  private final int sums;
  private final int columns;
  private final Label impossible;
  private final VectorClass type;

  private MicroKernelCode(MicroKernelShape shape, CodeBuilder code) {
    this.shape = shape;
    this.code = code;
    this.array = shape.accumulatorType().element().arrayType();
    this.vector = shape.accumulatorType().vector();
    this.step = code.allocateLocal(TypeKind.INT);
    this.left = code.allocateLocal(TypeKind.REFERENCE);
    this.product = code.allocateLocal(TypeKind.REFERENCE);
    this.rows = locals(TypeKind.INT, shape.rows());
    this.sums = locals(TypeKind.REFERENCE, shape.accumulatorCount());
    this.columns = locals(TypeKind.REFERENCE, shape.vectors() * shape.columns());
    this.impossible = code.newLabel();
    this.type = new VectorClass(code, vector, shape.species(), impossible);
  }

  /** {@return a micro-kernel of a new class} */
  static MicroKernel generate(MicroKernelShape shape) {
    String name = "Tile" + shape.accumulatorType() + shape.rows() + "x" + shape.width();
    return HiddenClasses.instance(
        MicroKernel.class, name, code -> new MicroKernelCode(shape, code).emit());
  }

  private int locals(TypeKind kind, int count) {
    int first = code.allocateLocal(kind);
    for (int i = 1; i < count; i++) {
      code.allocateLocal(kind);
    }
    return first;
  }

  /**
   * Writes the beginning of a method: if {@code steps} is negative, the method counts up to zero
   * and returns. The virtual machine compiles a method after many calls and iterations; this way
   * the warm-up can provide them at little cost.
   */
  static void emitWarmupPrologue(CodeBuilder code, int steps) {
    Label work = code.newLabel();
    Label done = code.newLabel();
    code.iload(steps).ifge(work);
    Label next = code.newBoundLabel();
    code.iload(steps).ifge(done).iinc(steps, 1).goto_(next);
    code.labelBinding(done).return_();
    code.labelBinding(work);
  }

  private void emit() {
    emitWarmupPrologue(code, STEPS);
    type.lookUp();
    for (int operand : new int[] {A, B, C}) {
      code.aload(operand).checkcast(array).astore(operand);
    }
    code.iload(STEPS).loadConstant(MAX_STEPS);
    code.invokestatic(MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int)).istore(STEPS);
    for (int i = 0; i < shape.rows(); i++) {
      index(A_START, A_STRIDE, i, 0);
      code.istore(rows + i);
    }
    Label adding = code.newLabel();
    if (shape.continues()) {
      code.iload(ADD).ifne(adding);
      emitSums(this::zero);
      emitStores(false);
      code.labelBinding(adding);
      emitSums(this::loadResult);
      emitStores(false);
    } else {
      emitSums(this::zero);
      code.iload(ADD).ifne(adding);
      emitStores(false);
      code.labelBinding(adding);
      emitStores(true);
    }
    code.labelBinding(impossible).return_();
  }

  /** Writes the loop over the steps, after the first value of each sum. */
  private void emitSums(IntConsumer first) {
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      first.accept(i);
      code.astore(sums + i);
    }
    emitLoop();
    for (int i = 0; i < shape.accumulatorCount(); i++) {
      type.guard(sums + i);
    }
  }

  private void zero(int sum) {
    species();
    code.invokestatic(vector, "zero", MethodTypeDesc.of(vector, SPECIES));
  }

  private void loadResult(int sum) {
    int i = sum / shape.vectors();
    loadVector(C, C_START, C_STRIDE, i, sum % shape.vectors() * shape.lanes());
  }

  private void emitLoop() {
    Runnable body = shape.isLanewise() ? this::emitLanes : this::emitRows;
    CountedLoop.fromZero(code, step, STEPS, body);
  }

  /** Writes an iteration: loads a row of b and multiplies it with each element of a column of a. */
  private void emitRows() {
    for (int j = 0; j < shape.vectors(); j++) {
      loadRight(j * shape.lanes(), columns + j);
    }
    for (int i = 0; i < shape.rows(); i++) {
      broadcastLeft(i);
      for (int j = 0; j < shape.vectors(); j++) {
        multiplyAdd(columns + j, sums + i * shape.vectors() + j);
      }
    }
  }

  /**
   * Writes an iteration of a lane-wise kernel. For each vector of a column, it loads that vector of
   * all columns of b and multiplies them with that of each row of a.
   */
  private void emitLanes() {
    for (int j = 0; j < shape.vectors(); j++) {
      for (int x = 0; x < shape.columns(); x++) {
        loadRight(x * shape.width() + j * shape.lanes(), columns + x);
      }
      for (int i = 0; i < shape.rows(); i++) {
        loadLeft(i, j);
        for (int x = 0; x < shape.columns(); x++) {
          multiplyAdd(columns + x, sums + (i * shape.columns() + x) * shape.vectors() + j);
        }
      }
    }
  }

  /** Writes {@code left = broadcast(a[aStart + i * aStride + step * aStep])}. */
  private void broadcastLeft(int i) {
    species();
    code.aload(A);
    indexA(i, 0);
    code.arrayLoad(shape.accumulatorType().kind());
    code.invokestatic(
            vector,
            "broadcast",
            MethodTypeDesc.of(vector, SPECIES, shape.accumulatorType().element()))
        .astore(left);
    type.guard(left);
  }

  /** Writes {@code left = a[aStart + i * aStride + step * aStep + lanes of vector j]}. */
  private void loadLeft(int i, int j) {
    species();
    code.aload(A);
    indexA(i, j * shape.lanes());
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    code.astore(left);
    type.guard(left);
  }

  private void multiplyAdd(int column, int sum) {
    emitMultiplyAdd(code, shape.accumulatorType(), type, left, column, sum, product);
  }

  /**
   * Writes {@code sum = left * right + sum}, fused for floats. Integers need the local variable
   * {@code product} between the two operations.
   */
  static void emitMultiplyAdd(
      CodeBuilder code,
      AccumulatorType accumulatorType,
      VectorClass type,
      int left,
      int right,
      int sum,
      int product) {
    ClassDesc vector = accumulatorType.vector();
    code.aload(left).aload(right);
    if (accumulatorType.isFloating()) {
      code.aload(sum).invokevirtual(vector, "fma", MethodTypeDesc.of(vector, VECTOR, VECTOR));
    } else {
      code.invokevirtual(vector, "mul", MethodTypeDesc.of(vector, VECTOR)).astore(product);
      type.guard(product);
      code.aload(product)
          .aload(sum)
          .invokevirtual(vector, "add", MethodTypeDesc.of(vector, VECTOR));
    }
    code.astore(sum);
  }

  private void emitStores(boolean add) {
    for (int i = 0; i < shape.rows() * shape.columns(); i++) {
      for (int j = 0; j < shape.vectors(); j++) {
        int sum = sums + i * shape.vectors() + j;
        if (add) {
          code.aload(sum);
          loadVector(C, C_START, C_STRIDE, i, j * shape.lanes());
          code.invokevirtual(vector, "add", MethodTypeDesc.of(vector, VECTOR)).astore(sum);
          type.guard(sum);
        }
        code.aload(sum).aload(C);
        index(C_START, C_STRIDE, i, j * shape.lanes());
        code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
      }
    }
    code.return_();
  }

  private void loadRight(int offset, int to) {
    if (shape.isPacked()) {
      loadVector(B, B_START, step, shape.columns() * shape.width(), offset);
    } else {
      species();
      code.aload(B).iload(B_START).iload(step).iload(B_STRIDE).imul().iadd();
      code.loadConstant(offset).iadd();
      code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    }
    code.astore(to);
  }

  private void loadVector(int from, int start, int variable, int factor, int offset) {
    species();
    code.aload(from);
    index(start, variable, factor, offset);
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
  }

  /** Pushes the index of an element of row i of a, {@code offset} behind the step's. */
  private void indexA(int i, int offset) {
    if (shape.stepStride() != 0) {
      index(rows + i, step, shape.stepStride(), offset);
    } else {
      code.iload(rows + i).iload(step).iload(A_STEP).imul().iadd().loadConstant(offset).iadd();
    }
  }

  /** Pushes {@code start + variable * factor + offset}. */
  private void index(int start, int variable, int factor, int offset) {
    code.iload(start).iload(variable);
    if (factor != 1) {
      code.loadConstant(factor).imul();
    }
    code.iadd();
    if (offset != 0) {
      code.loadConstant(offset).iadd();
    }
  }

  private void species() {
    code.getstatic(vector, shape.species(), SPECIES);
  }
}
