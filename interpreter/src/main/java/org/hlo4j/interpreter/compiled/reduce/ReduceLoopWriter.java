package org.hlo4j.interpreter.compiled.reduce;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/** Writes the method of a {@link ReduceLoop}: its parameters, its iterations, where things lie. */
final class ReduceLoopWriter {
  private static final int ARRAYS = 1;
  private static final int POSITIONS = 2;
  private static final int FROM = 3;
  private static final int TO = 4;

  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final MethodTypeDesc MIN =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int);

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final int iteration;

  ReduceLoopWriter(CodeEmitter emitter) {
    this.emitter = emitter;
    this.code = emitter.code();
    Tiered.writeCounting(code, FROM, TO);
    this.iteration = emitter.newLocal(TypeKind.INT);
  }

  CodeEmitter lanes() {
    return emitter;
  }

  /** The array of a number, that holds elements of a type. */
  int array(int number, ElementType type) {
    return emitter.array(ARRAYS, number, type);
  }

  /** The array of a number in a local variable. */
  void array(int number, ElementType type, int local) {
    emitter.loadArray(ARRAYS, number, type, local);
  }

  /** The position of a number. */
  int position(int number) {
    int local = emitter.newLocal(TypeKind.INT);
    position(number, local);
    return local;
  }

  /** The position of a number in a local variable. */
  void position(int number, int local) {
    code.aload(POSITIONS).loadConstant(number).iaload().istore(local);
  }

  /** The position of a number, of which it is known that it is not beyond a limit. */
  int positionUpTo(int limit, int number) {
    int local = position(number);
    code.iload(local).loadConstant(limit).invokestatic(MATH, "min", MIN).istore(local);
    return local;
  }

  /** So many behind a position. */
  int behind(int position, int count) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(position).loadConstant(count).iadd().istore(local);
    return local;
  }

  /** Where an iteration is: so many behind a position and the iteration. */
  int index(int position, int behind) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(position).iload(iteration).iadd();
    if (behind > 0) {
      code.loadConstant(behind).iadd();
    }
    code.istore(local);
    return local;
  }

  /**
   * Where an iteration is that goes round: behind a position the iteration modulo a power of two.
   */
  int roundIndex(int position, int count) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(iteration).loadConstant(count - 1).iand();
    code.iload(position).iadd().istore(local);
    return local;
  }

  /** Where an iteration is, some iterations on, if iterations are so far apart. */
  int strided(int position, int behind, int stride) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(iteration).loadConstant(behind).iadd().loadConstant(stride).imul();
    code.iload(position).iadd().istore(local);
    return local;
  }

  /** Where an iteration is: so many behind a position as iterations have been, or before it. */
  int index(int position, boolean isReverse) {
    if (!isReverse) {
      return index(position, 0);
    }
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(position).iload(iteration).isub().istore(local);
    return local;
  }

  /**
   * Iterations from the first on, as long as whole steps fit; iterations that are left stay to be
   * done.
   */
  void steps(int step, Runnable body) {
    int end = emitter.newLocal(TypeKind.INT);
    code.iload(TO);
    if (step > 1) {
      code.loadConstant(step - 1).isub();
    }
    code.istore(end);
    Label again = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(again).iload(iteration).iload(end).if_icmpge(done);
    body.run();
    code.iinc(iteration, step).goto_(again).labelBinding(done);
  }

  /** Counts a local variable from 0 to before another, a step at a time. */
  void count(int counter, int step, int end, Runnable body) {
    Label again = code.newLabel();
    Label done = code.newLabel();
    code.iconst_0().istore(counter);
    code.labelBinding(again).iload(counter).iload(end).if_icmpge(done);
    body.run();
    code.iinc(counter, step).goto_(again).labelBinding(done);
  }

  /** A local variable that holds a number. */
  int number(int number) {
    int local = emitter.newLocal(TypeKind.INT);
    code.loadConstant(number).istore(local);
    return local;
  }

  /** Sets the iteration to the first one. */
  void start() {
    code.iload(FROM).istore(iteration);
  }

  /** The iteration by itself. */
  int iteration() {
    return iteration;
  }
}
