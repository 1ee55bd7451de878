package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.ElementType;

/**
 * The local variables of a method that computes with elements: indices, arrays, and the values of
 * its operations, whose variables are used again once they are released.
 */
public abstract sealed class MethodVariables extends LaneArithmetic permits CodeEmitter {
  /**
   * The maximum number of slots. A store to two slots takes four bytes, so that no method needs
   * more.
   */
  private static final int MAX_SLOT = HiddenClasses.MAX_METHOD / 2;

  private final CodeBuilder code;
  private final List<Value> temporaries = new ArrayList<>();
  private final Map<TypeKind, Deque<Integer>> freed = new HashMap<>();

  MethodVariables(CodeBuilder code) {
    this.code = code;
  }

  /** Returns the builder for code that does not compute with elements. */
  public final CodeBuilder code() {
    return code;
  }

  /** Returns a new local variable of the method, for indices and arrays. */
  public final int newLocal(TypeKind kind) {
    int local = code.allocateLocal(kind);
    if (local > MAX_SLOT) {
      throw new TooLargeException("locals", HiddenClasses.MAX_METHOD);
    }
    return local;
  }

  /**
   * Returns a new local variable with {@code arraysLocal[number]}, the storage of elements of a
   * type.
   */
  public final int array(int arraysLocal, int number, ElementType type) {
    int local = newLocal(TypeKind.REFERENCE);
    loadArray(arraysLocal, number, type, local);
    return local;
  }

  /**
   * Writes {@code for (; counter < end; counter += step)}. The loop may be split: the methods of
   * this class have to write all of the body, and no value may be used after the loop.
   */
  public void loop(int counter, int end, int step, Runnable body) {
    CountedLoop.upTo(code, counter, end, step, body);
  }

  /** Returns a new local variable with the sum of a number and other local variables, all ints. */
  public int sum(int number, int... locals) {
    code.loadConstant(number);
    for (int local : locals) {
      code.iload(local).iadd();
    }
    return newIndex();
  }

  /** Returns a new local variable with the product of two ints. */
  public int product(int first, int second) {
    code.iload(first).iload(second).imul();
    return newIndex();
  }

  private int newIndex() {
    int local = newLocal(TypeKind.INT);
    code.istore(local);
    return local;
  }

  /** Stores {@code arraysLocal[number]} in a local variable. */
  public final void loadArray(int arraysLocal, int number, ElementType type, int local) {
    code.aload(arraysLocal).loadConstant(number).aaload().astore(local);
    castArray(type, local);
  }

  /** Casts a local variable to an array, the storage of elements of a type. */
  public final void castArray(ElementType type, int local) {
    code.aload(local).checkcast(JavaTypes.storage(type).array()).astore(local);
  }

  /** Returns a mark for {@link #release}, which stands for the values made so far. */
  public final int mark() {
    return temporaries.size();
  }

  /** Frees the local variables of the values made since a mark, except constants. */
  public final void release(int mark) {
    release(mark, List.of());
  }

  /**
   * Frees the local variables of the values made since a mark, except constants and some other
   * values.
   */
  public final void release(int mark, Collection<Value> kept) {
    List<Value> since = temporaries.subList(mark, temporaries.size());
    for (Value value : since) {
      if (!kept.contains(value)) {
        freed.computeIfAbsent(kind(value.lane()), k -> new ArrayDeque<>()).push(value.local());
      }
    }
    since.removeIf(value -> !kept.contains(value));
  }

  /** Returns a value in a local variable of its own, which may be one that was released. */
  final Value newTemporary(Lane lane, boolean isNew) {
    Deque<Integer> free = freed.getOrDefault(kind(lane), new ArrayDeque<>());
    int local = free.isEmpty() || isNew ? newLocal(kind(lane)) : free.pop();
    Value value = new Value(lane, local);
    temporaries.add(value);
    return value;
  }

  /** Returns the kind of local variable that holds values of a lane. */
  abstract TypeKind kind(Lane lane);
}
