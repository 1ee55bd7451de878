package org.hlo4j.interpreter.compiled.fft;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Value;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/** Writes a class of a {@link FftStep}: rows of numbers, and in each as many as a vector has. */
abstract class FftStepCode {
  private static final int ARRAYS = 1;
  private static final int PLACES = 2;

  /** A complex number in each lane. */
  record Parts(Value re, Value im) {}

  final CodeEmitter emitter;
  final CodeBuilder code;

  /** The number in a row that an iteration begins with. */
  final int column;

  private final int index;
  private final List<ElementType> types;
  private final int[] arrays;
  private final int[] places;

  FftStepCode(CodeEmitter emitter, List<ElementType> types) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.column = emitter.newLocal(TypeKind.INT);
    this.index = emitter.newLocal(TypeKind.INT);
    this.arrays = new int[types.size()];
    this.types = types;
    this.places = new int[StepArguments.COUNT];
  }

  /** Writes the method. */
  final void write() {
    emitter.body(() -> {
      for (int i = 0; i < places.length; i++) {
        places[i] = emitter.newLocal(TypeKind.INT);
        code.aload(PLACES).loadConstant(i).iaload().istore(places[i]);
      }
      Tiered.writeCounting(code, places[StepArguments.ROW], places[StepArguments.ROWS]);
      for (int i = 0; i < arrays.length; i++) {
        arrays[i] = emitter.array(ARRAYS, i, types.get(i));
      }
      rows();
      code.return_();
    });
  }

  private void rows() {
    Label next = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(next);
    code.iload(place(StepArguments.ROW)).iload(place(StepArguments.ROWS)).if_icmpge(done);
    beginRow();
    Label nextColumn = code.newLabel();
    Label rowDone = code.newLabel();
    code.iconst_0().istore(column).labelBinding(nextColumn);
    code.iload(column).iload(place(StepArguments.COLUMNS)).if_icmpge(rowDone);
    int mark = emitter.mark();
    columns();
    emitter.release(mark);
    code.iinc(column, emitter.width()).goto_(nextColumn).labelBinding(rowDone);
    endRow();
    code.iinc(place(StepArguments.ROW), rowsAtOnce()).goto_(next).labelBinding(done);
  }

  /** How many rows an iteration of the outer loop takes. */
  int rowsAtOnce() {
    return 1;
  }

  /** Writes what is the same for a whole row. */
  void beginRow() {}

  /** Writes what is computed from the numbers at {@link #column}. */
  abstract void columns();

  /** Writes how to go on to the next row. */
  abstract void endRow();

  /** The local variable of one of {@link StepArguments}. */
  final int place(int number) {
    return places[number];
  }

  /** The local variable with an array. */
  final int array(int number) {
    return arrays[number];
  }

  /** {@code place[number] += place[by]} */
  final void advance(int number, int by) {
    code.iload(place(number)).iload(place(by)).iadd().istore(place(number));
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

  /** The real part from a position, the imaginary part from so far behind. */
  final Parts load(int array, int shift, Runnable position) {
    Value re = load(ElementType.F64, array, position);
    code.iload(index).iload(place(shift)).iadd().istore(index);
    return new Parts(re, emitter.load(ElementType.F64, arrays[array], index));
  }

  /** The same of one number, in all elements. */
  final Parts loadSplat(int array, int shift, Runnable position) {
    Value re = loadSplat(array, position);
    code.iload(index).iload(place(shift)).iadd().istore(index);
    return new Parts(re, emitter.loadSplat(ElementType.F64, arrays[array], index));
  }

  final void store(int array, int shift, Runnable position, Parts value) {
    store(ElementType.F64, array, position, value.re());
    code.iload(index).iload(place(shift)).iadd().istore(index);
    emitter.store(ElementType.F64, arrays[array], index, value.im());
  }

  final Parts plus(Parts a, Parts b) {
    return new Parts(emitter.add(a.re(), b.re()), emitter.add(a.im(), b.im()));
  }

  final Parts minus(Parts a, Parts b) {
    return new Parts(emitter.subtract(a.re(), b.re()), emitter.subtract(a.im(), b.im()));
  }

  /** {@code a b}, given also {@code -im(b)}. */
  final Parts times(Parts a, Parts b, Value negated) {
    return new Parts(
        emitter.fma(a.im(), negated, emitter.multiply(a.re(), b.re())),
        emitter.fma(a.re(), b.im(), emitter.multiply(a.im(), b.re())));
  }
}
