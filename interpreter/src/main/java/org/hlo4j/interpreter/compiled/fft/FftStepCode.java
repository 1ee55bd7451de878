package org.hlo4j.interpreter.compiled.fft;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/**
 * The base class of the code writers of {@link FftStep}. The generated method has a loop over rows
 * and, within it, a loop over columns, each iteration of which computes one vector of numbers.
 */
abstract class FftStepCode {
  private static final int ARRAYS = 1;
  private static final int ARGUMENTS = 2;

  /** A complex number in each lane. */
  record ComplexVector(Value re, Value im) {}

  final CodeEmitter emitter;
  final CodeBuilder code;

  /** The local variable that holds the column at which an iteration of the inner loop starts. */
  final int column;

  private final int index;
  private final List<ElementType> types;
  private final int[] arrays;
  private final int[] argumentLocals;

  FftStepCode(CodeEmitter emitter, List<ElementType> types) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.column = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
    this.arrays = new int[types.size()];
    this.types = types;
    this.argumentLocals = new int[StepArguments.COUNT];
  }

  /** Writes the method. */
  final void write() {
    emitter.body(() -> {
      for (int i = 0; i < argumentLocals.length; i++) {
        argumentLocals[i] = emitter.newLocal(TypeKind.INT);
        code.aload(ARGUMENTS).loadConstant(i).iaload().istore(argumentLocals[i]);
      }
      Tiered.writeWarmupPrologue(
          code, argumentLocals[StepArguments.ROW], argumentLocals[StepArguments.ROWS]);
      for (int i = 0; i < arrays.length; i++) {
        arrays[i] = emitter.array(ARRAYS, i, types.get(i));
      }
      rows();
      code.return_();
    });
  }

  private void rows() {
    int row = argument(StepArguments.ROW);
    Runnable iteration =
        () -> {
          beginRow();
          code.iconst_0().istore(column);
          int columns = argument(StepArguments.COLUMNS);
          CountedLoop.upTo(code, column, columns, emitter.width(), this::writeColumns);
          endRow();
        };
    CountedLoop.upTo(code, row, argument(StepArguments.ROWS), 1, iteration);
  }

  private void writeColumns() {
    int mark = emitter.mark();
    columns();
    emitter.release(mark);
  }

  /** Writes the start of an iteration of the outer loop: what is invariant in a row. */
  void beginRow() {}

  /** Writes the body of the inner loop, for the numbers at {@link #column}. */
  abstract void columns();

  /** Writes the end of an iteration of the outer loop, which advances to the next row. */
  void endRow() {
    advance(StepArguments.FROM, StepArguments.FROM_ROW);
    advance(StepArguments.TO, StepArguments.TO_ROW);
    advance(StepArguments.FACTOR, StepArguments.FACTOR_ROW);
  }

  /** Returns the writer of the position of the numbers at {@link #column} of a row. */
  final Runnable at(int start) {
    return () -> code.iload(argument(start)).iload(column).iadd();
  }

  /** Returns the same for a row of pairs, with a distance from there. */
  final Runnable atPair(int start, int distance) {
    return () -> {
      code.iload(argument(start)).iload(column).iconst_2().imul().iadd();
      code.loadConstant(distance).iadd();
    };
  }

  /** Returns the local variable of one of {@link StepArguments}. */
  final int argument(int number) {
    return argumentLocals[number];
  }

  /** Returns the local variable that holds an array. */
  final int array(int number) {
    return arrays[number];
  }

  /** Writes the addition of argument {@code by} to argument {@code number}. */
  private void advance(int number, int by) {
    code.iload(argument(number)).iload(argument(by)).iadd().istore(argument(number));
  }

  final Value load(ElementType type, int array, Runnable position) {
    position.run();
    code.istore(index);
    return emitter.load(type, arrays[array], index);
  }

  final Value loadSplat(int array, Runnable position) {
    position.run();
    code.istore(index);
    return emitter.loadSplat(ElementType.F64, arrays[array], index);
  }

  final void store(ElementType type, int array, Runnable position, Value value) {
    position.run();
    code.istore(index);
    emitter.store(type, arrays[array], index, value);
  }

  /**
   * Loads complex numbers: the real parts from a position, the imaginary parts from the position at
   * the distance that is the argument {@code shift}.
   */
  final ComplexVector load(int array, int shift, Runnable position) {
    Value re = load(ElementType.F64, array, position);
    code.iload(index).iload(argument(shift)).iadd().istore(index);
    return new ComplexVector(re, emitter.load(ElementType.F64, arrays[array], index));
  }

  /** Loads one complex number, in the same way, into all lanes. */
  final ComplexVector loadSplat(int array, int shift, Runnable position) {
    Value re = loadSplat(array, position);
    code.iload(index).iload(argument(shift)).iadd().istore(index);
    return new ComplexVector(re, emitter.loadSplat(ElementType.F64, arrays[array], index));
  }

  final void store(int array, int shift, Runnable position, ComplexVector value) {
    store(ElementType.F64, array, position, value.re());
    code.iload(index).iload(argument(shift)).iadd().istore(index);
    emitter.store(ElementType.F64, arrays[array], index, value.im());
  }

  final ComplexVector plus(ComplexVector a, ComplexVector b) {
    return new ComplexVector(emitter.add(a.re(), b.re()), emitter.add(a.im(), b.im()));
  }

  final ComplexVector minus(ComplexVector a, ComplexVector b) {
    return new ComplexVector(emitter.subtract(a.re(), b.re()), emitter.subtract(a.im(), b.im()));
  }

  /** Returns {@code a b}, given also {@code -im(b)}. */
  final ComplexVector times(ComplexVector a, ComplexVector b, Value negated) {
    return new ComplexVector(
        emitter.fma(a.im(), negated, emitter.multiply(a.re(), b.re())),
        emitter.fma(a.re(), b.im(), emitter.multiply(a.im(), b.re())));
  }
}
