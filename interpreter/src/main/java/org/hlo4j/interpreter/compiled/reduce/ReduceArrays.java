package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ObjectArrays;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The arrays of a kernel beside its operands.
 *
 * @param tables arrays that are read in addition to the operands
 * @param bytesOfNumbers the bytes of those tables that a run counts, of the numbers of an iota
 * @param computed arrays that are computed in parts while the kernel runs
 * @param shapes the shapes of the results
 * @param isTuple whether the results are elements of a tuple
 */
record ReduceArrays(
    ImmutableList<Literal> tables,
    long bytesOfNumbers,
    ImmutableList<ComputedArray> computed,
    ImmutableList<Shape.Array> shapes,
    boolean isTuple) {
  /** {@return the same arrays with other ones that are computed} */
  ReduceArrays computing(List<ComputedArray> others) {
    return new ReduceArrays(tables, bytesOfNumbers, ImmutableList.copyOf(others), shapes, isTuple);
  }

  /** {@return the storages of operands and, after them, of the tables} */
  Object[] inputs(Literal[] operands) {
    return ObjectArrays.concat(storages(Arrays.asList(operands)), storages(tables), Object.class);
  }

  private static Object[] storages(List<Literal> literals) {
    return literals.stream().map(Literal::unsafeStorage).toArray();
  }

  /** {@return a reader of each computed array} */
  ComputedArray.Reader[] readers(Object[] inputs, KernelContext context) {
    return computed.stream()
        .map(array -> array.reader(inputs, context))
        .toArray(ComputedArray.Reader[]::new);
  }

  /**
   * {@return the value of the kernel, whose storages are put into {@code arrays} from an index on}
   */
  Literal allocate(Object[] arrays, int first, KernelContext context) {
    List<Literal> results = new ArrayList<>();
    for (Shape.Array shape : shapes) {
      Object storage = context.allocate(shape);
      arrays[first + results.size()] = storage;
      results.add(Literal.unsafeOf(shape, storage));
    }
    return isTuple ? Literal.tuple(results) : results.get(0);
  }

  /** {@return whether a computed array depends on an operand} */
  boolean computeFrom(int operand) {
    return computed.stream().anyMatch(array -> array.reads(operand));
  }

  /** Installs the vector forms now, even if C2 has not compiled them yet; for tests. */
  void prepare() {
    computed.forEach(ComputedArray::prepare);
  }

  /** {@return how arrays are computed, for the description of a kernel} */
  String describe() {
    return ComputedArray.describe(computed);
  }
}
