package org.hlo4j.interpreter.compiled.reduce;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.CountedLoop;
import org.hlo4j.interpreter.compiled.codegen.Value;
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
  private final List<ElementType> types;
  private final int iteration;
  private final Map<Integer, Integer> arrays = new HashMap<>();
  private final Map<Integer, Integer> positions = new HashMap<>();

  /**
   * Creates a code generator.
   *
   * @param types the element type of each array
   */
  ReduceLoopWriter(CodeEmitter emitter, List<ElementType> types) {
    this.emitter = emitter;
    this.code = emitter.code();
    this.types = types;
    Tiered.writeWarmupPrologue(code, FROM, TO);
    this.iteration = emitter.newLocal(TypeKind.INT);
  }

  /** {@return the local variable that holds an array; the load is in the prologue} */
  int array(int number) {
    return inPrologue(
        arrays,
        number,
        TypeKind.REFERENCE,
        local -> emitter.loadArray(ARRAYS, number, types.get(number), local));
  }

  /**
   * {@return the local variable that holds an entry of the positions, which may also be a length or
   * a stride; the load is in the prologue}
   */
  int position(int number) {
    return inPrologue(
        positions,
        number,
        TypeKind.INT,
        local -> code.aload(POSITIONS).loadConstant(number).iaload().istore(local));
  }

  private int inPrologue(
      Map<Integer, Integer> locals, int number, TypeKind kind, IntConsumer loading) {
    return locals.computeIfAbsent(
        number,
        _ -> {
          int local = emitter.newLocal(kind);
          emitter.inPrologue(() -> loading.accept(local));
          return local;
        });
  }

  /** {@return elements of an array from the index in a local variable on} */
  Value load(int array, int index) {
    return emitter.load(types.get(array), array(array), index);
  }

  /** {@return the element of an array at the index in a local variable, in all lanes} */
  Value loadSplat(int array, int index) {
    return emitter.loadSplat(types.get(array), array(array), index);
  }

  /** Writes the store of elements of an array from the index in a local variable on. */
  void store(int array, int index, Value value) {
    emitter.store(types.get(array), array(array), index, value);
  }

  /** {@return a local variable that holds a position, which is stated not to exceed a limit} */
  int positionUpTo(int limit, int number) {
    int local = emitter.newLocal(TypeKind.INT);
    CountedLoop.limit(code.iload(position(number)), limit).istore(local);
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

  /** {@return a local variable with {@code position + iteration}, or minus it in reverse} */
  int index(int position, boolean isReverse) {
    int local = emitter.newLocal(TypeKind.INT);
    code.iload(position).iload(iteration);
    (isReverse ? code.isub() : code.iadd()).istore(local);
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
