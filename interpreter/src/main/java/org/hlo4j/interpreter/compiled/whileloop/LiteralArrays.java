package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.KernelContext;

/** Conversions between literals and the primitive arrays that a program works on. */
final class LiteralArrays {
  private LiteralArrays() {}

  /** Appends the arrays of a literal, from left to right. */
  static void append(Literal literal, List<Object> arrays) {
    if (literal.shape() instanceof Shape.Tuple) {
      literal.elements().forEach(element -> append(element, arrays));
    } else {
      arrays.add(literal.unsafeStorage());
    }
  }

  /**
   * Appends the arguments of a program after its operands. Calls are bound to arrays that are in
   * the list already.
   */
  static void append(List<ScalarArrays.Given> given, List<Object> arrays, KernelContext context) {
    given.forEach(each -> arrays.add(of(each, arrays, context)));
  }

  private static Object of(ScalarArrays.Given given, List<Object> arrays, KernelContext context) {
    return switch (given) {
      case ScalarArrays.Given.Constant constant -> constant.literal().unsafeStorage();
      case ScalarArrays.Given.Workspace workspace ->
          Storages.allocate(
              workspace.shape().elementType(), (int) workspace.shape().elementCount());
      case ScalarArrays.Given.Call call ->
          call.kernel().bind(some(arrays, call.operands()), some(arrays, call.results()), context);
    };
  }

  private static Object[] some(List<Object> arrays, List<Integer> numbers) {
    return numbers.stream().map(arrays::get).toArray();
  }

  /** Copies the elements that both arrays have room for, and returns the target. */
  static Object copy(Object from, Object to) {
    int count = Math.min(Array.getLength(from), Array.getLength(to));
    System.arraycopy(from, 0, to, 0, count);
    return to;
  }

  /** Returns a copy of a literal, in a given shape, with arrays of its own. */
  static Literal copy(Shape shape, Literal literal) {
    List<Object> arrays = new ArrayList<>();
    append(literal, arrays);
    arrays.replaceAll(LiteralArrays::copy);
    return literal(shape, arrays);
  }

  /** Returns a copy of an array. */
  static Object copy(Object array) {
    Class<?> component = array.getClass().getComponentType();
    return copy(array, Array.newInstance(component, Array.getLength(array)));
  }

  /**
   * Returns the literal that consists of these arrays, from left to right. Further arrays are
   * ignored.
   */
  static Literal literal(Shape shape, List<Object> arrays) {
    return literal(shape, arrays.iterator());
  }

  private static Literal literal(Shape shape, Iterator<Object> arrays) {
    return switch (shape) {
      case Shape.Array array -> Literal.unsafeOf(array, arrays.next());
      case Shape.Tuple tuple -> {
        ImmutableList.Builder<Literal> elements = ImmutableList.builder();
        tuple.elements().forEach(element -> elements.add(literal(element, arrays)));
        yield Literal.unsafeTuple(tuple, elements.build());
      }
      case Shape.Buffer _, Shape.Token _, Shape.Opaque _ -> throw new AssertionError(shape);
    };
  }
}
