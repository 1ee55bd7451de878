package org.hlo4j.interpreter.compiled.copy;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.HiddenClasses;

/**
 * Writes the class of a {@link SquareTranspose}, which holds all rows of a square in vector
 * registers. A step interleaves row i with row i + side / 2, which gives rows 2 i and 2 i + 1.
 * After log2(side) steps the rows are the columns.
 */
final class SquareTransposeCode {
  /** The maximum number of iterations of the loop. C2 would strip-mine a longer loop. */
  static final int MAX_STEPS = CountedLoop.MAX_SHORT;

  private static final String PACKAGE = "jdk.incubator.vector.";
  private static final ClassDesc VECTOR = ClassDesc.of(PACKAGE + "Vector");
  private static final ClassDesc SPECIES = ClassDesc.of(PACKAGE + "VectorSpecies");
  private static final int FROM = 1;
  private static final int FROM_START = 2;
  private static final int FROM_STRIDE = 3;
  private static final int FROM_STEP = 4;
  private static final int TO = 5;
  private static final int TO_START = 6;
  private static final int TO_STRIDE = 7;
  private static final int TO_STEP = 8;
  private static final int COUNT = 9;
  private static final int ORDER = 10;

  private final SquareTransposes form;
  private final CodeBuilder code;
  private final int side;
  private final int lower;
  private final int upper;
  private final int step;
  private final int rows;

  private SquareTransposeCode(SquareTransposes form, CodeBuilder code) {
    this.form = form;
    this.code = code;
    this.side = form.side();
    this.lower = code.allocateLocal(TypeKind.REFERENCE);
    this.upper = code.allocateLocal(TypeKind.REFERENCE);
    this.step = code.allocateLocal(TypeKind.INT);
    this.rows = code.allocateLocal(TypeKind.REFERENCE);
    for (int i = 1; i < 2 * side; i++) {
      code.allocateLocal(TypeKind.REFERENCE);
    }
  }

  /** Returns the code for one kind of array. */
  static SquareTranspose generate(SquareTransposes form) {
    String name = "Square" + form + form.side();
    return HiddenClasses.instance(
        SquareTranspose.class, name, code -> new SquareTransposeCode(form, code).emit());
  }

  private void emit() {
    for (int array : new int[] {FROM, TO}) {
      code.aload(array).checkcast(form.array()).astore(array);
    }
    load(form.integerKind(), ORDER, () -> code.iconst_0(), lower);
    load(form.integerKind(), ORDER, () -> code.loadConstant(side), upper);
    CountedLoop.limit(code.iload(COUNT), MAX_STEPS).istore(COUNT);
    CountedLoop.fromZero(
        code,
        step,
        COUNT,
        () -> {
          int last = emitSquare();
          for (int i = 0; i < side; i++) {
            store(last + i, i);
          }
        });
    code.return_();
  }

  /**
   * Writes the code that loads and interleaves the rows. Returns the local variable of the first
   * row of the result.
   */
  private int emitSquare() {
    for (int i = 0; i < side; i++) {
      int row = i;
      load(form, FROM, () -> position(FROM_START, FROM_STEP, FROM_STRIDE, row), rows + i);
    }
    int from = rows;
    int to = rows + side;
    for (int left = side; left > 1; left /= 2) {
      for (int i = 0; i < side / 2; i++) {
        interleave(lower, from + i, from + side / 2 + i, to + 2 * i);
        interleave(upper, from + i, from + side / 2 + i, to + 2 * i + 1);
      }
      int swap = from;
      from = to;
      to = swap;
    }
    return from;
  }

  /** Loads a vector from an array, as integers. */
  private void load(SquareTransposes kind, int array, Runnable position, int to) {
    ClassDesc vector = kind.vector();
    code.getstatic(vector, kind.species(), SPECIES).aload(array).checkcast(kind.array());
    position.run();
    code.invokestatic(
        vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, kind.array(), CD_int));
    if (kind != kind.integerKind()) {
      ClassDesc whole = kind.integerKind().vector();
      code.invokevirtual(
          vector, "reinterpretAs" + kind.integerKind().plural(), MethodTypeDesc.of(whole));
    }
    code.astore(to);
  }

  private void store(int row, int number) {
    SquareTransposes whole = form.integerKind();
    code.aload(row);
    if (form != whole) {
      code.invokevirtual(
          whole.vector(), "reinterpretAs" + form.plural(), MethodTypeDesc.of(form.vector()));
    }
    code.aload(TO);
    position(TO_START, TO_STEP, TO_STRIDE, number);
    code.invokevirtual(
        form.vector(), "intoArray", MethodTypeDesc.of(CD_void, form.array(), CD_int));
  }

  /** Pushes {@code start + step * stepLength + row * stride}. */
  private void position(int start, int stepLength, int stride, int row) {
    code.iload(start).iload(step).iload(stepLength).imul().iadd();
    code.iload(stride).loadConstant(row).imul().iadd();
  }

  private void interleave(int order, int first, int second, int to) {
    ClassDesc vector = form.integerKind().vector();
    code.aload(order).aload(first).aload(second);
    code.invokevirtual(vector, "selectFrom", MethodTypeDesc.of(vector, VECTOR, VECTOR)).astore(to);
  }
}
