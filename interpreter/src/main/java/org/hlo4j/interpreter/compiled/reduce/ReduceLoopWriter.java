package org.hlo4j.interpreter.compiled.reduce;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.tiering.Tiered;

/**
 * A code generator for the method of a {@link ReduceLoop}: its parameters, its iterations, and the
 * indices in its arrays.
 */
final class ReduceLoopWriter {
  private static final int ARRAYS = 1;
  private static final int POSITIONS = 2;
  private static final int FROM = 3;
  private static final int TO = 4;

  private final CodeEmitter emitter;
  private final CodeBuilder code;
  private final int iteration;

  ReduceLoopWriter(CodeEmitter emitter) {
    this.emitter = emitter;
    this.code = emitter.code();
    Tiered.writeWarmupPrologue(code, FROM, TO);
    this.iteration = emitter.newLocal(TypeKind.INT);
  }

  /** {@return the local variable of an array with elements of a type} */
  int array(int number, ElementType type) {
    return emitter.array(ARRAYS, number, type);
  }

  /** {@return the local variables of the first arrays, with elements of these types} */
  List<Integer> arrays(List<ElementType> types) {
    return IntStream.range(0, types.size())
        .mapToObj(number -> array(number, types.get(number)))
        .toList();
  }

  /** Loads an array into a local variable. */
  void array(int number, ElementType type, int local) {
    emitter.loadArray(ARRAYS, number, type, local);
  }

  /** {@return a local variable that holds a position} */
  int position(int number) {
    int local = emitter.newLocal(TypeKind.INT);
    position(number, local);
    return local;
  }

  /** {@return local variables that hold the first positions} */
  List<Integer> positions(int count) {
    return IntStream.range(0, count).mapToObj(this::position).toList();
  }

  /** Loads a position into a local variable. */
  void position(int number, int local) {
    code.aload(POSITIONS).loadConstant(number).iaload().istore(local);
  }

  /** {@return a local variable that holds a position, which is stated not to exceed a limit} */
  int positionUpTo(int limit, int number) {
    int local = position(number);
    CountedLoop.limit(code.iload(local), limit).istore(local);
    return local;
  }

  /** {@return a local variable that holds {@code position + count}} */
  int offset(int position, int count) {
    return emitter.sum(count, position);
  }

  /** {@return a local variable that holds {@code position + iteration + offset}} */
  int index(int position, int offset) {
    return emitter.sum(offset, position, iteration);
  }

  /** {@return a local variable that holds {@code position + iteration * stride}} */
  int strided(int position, int stride) {
    return emitter.sum(0, emitter.product(iteration, stride), position);
  }

  /**
   * {@return a local variable that holds {@code position + iteration * stride + offset + index}}
   */
  int strided(int position, int stride, int offset, int index) {
    return emitter.sum(offset, emitter.product(iteration, stride), position, index);
  }

  /**
   * {@return a local variable that holds {@code position + iteration}, or {@code position -
   * iteration} in reverse}
   */
  int index(int position, boolean isReverse) {
    if (!isReverse) {
      return index(position, 0);
    }
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(position).iload(iteration).isub().istore(local);
    return local;
  }

  /**
   * Writes a loop over the iterations in steps, as long as whole steps fit. The remaining
   * iterations are left to the code that follows.
   */
  void steps(int step, Runnable body) {
    int end = emitter.newLocal(TypeKind.INT);
    code.iload(TO);
    if (step > 1) {
      code.loadConstant(step - 1).isub();
    }
    code.istore(end);
    emitter.loop(iteration, end, step, body);
  }

  /** Writes a loop over the iterations that contains other loops. */
  void rows(Runnable body) {
    CountedLoop.upTo(code, iteration, TO, 1, body);
  }

  /** Writes a loop that counts a local variable from 0 to the end, exclusive, a step at a time. */
  void count(int counter, int step, int end, Runnable body) {
    code.iconst_0().istore(counter);
    emitter.loop(counter, end, step, body);
  }

  /** Writes the assignment of the first iteration to the counter. */
  void start() {
    code.iload(FROM).istore(iteration);
  }
}
