package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.Collection;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of whole arrays. Small arrays are computed element by element into local
 * variables. Other arrays are computed where they are read, or by loops into memory.
 */
final class ArrayCode {
  /**
   * The maximum cost of an element, in operations, that is computed more than once rather than
   * stored.
   */
  private static final int MAX_RECOMPUTED_COST = 2;

  /**
   * The maximum cost of an element that is not stored, so that loops stay short and formulas
   * shallow.
   */
  private static final int MAX_DEFERRED_COST = 100;

  /**
   * The maximum number of operations in one iteration of a loop. Above it, vector kernels are
   * faster.
   */
  private static final long MAX_OPERATIONS = 10_000;

  /** The same in an iteration with calls of vector code, which should take most of the time. */
  private static final long MAX_OPERATIONS_WITH_CALLS = 5_000;

  /**
   * The number of operations of a loop body from which on C2 no longer vectorizes the loop. It
   * vectorizes most loops with shorter bodies.
   */
  private static final int LONG = 16;

  /** The maximum number of operations of a method. More would be too long for one. */
  private static final int MAX_WRITTEN = 1500;

  private static final int MAX_ELEMENTS = 4096;

  private final CodeEmitter emitter;
  private final ScalarArrays arrays;
  private final Indices indices;
  private final ArrayLoops nest;
  private final CodegenStrategy strategy;
  private long operations;

  ArrayCode(CodeEmitter emitter, ScalarArrays arrays, CodegenStrategy strategy) {
    this.emitter = emitter;
    this.arrays = arrays;
    this.indices = new Indices(emitter);
    this.nest = new ArrayLoops(emitter, indices, strategy);
    this.strategy = strategy;
  }

  Indices indices() {
    return indices;
  }

  /** Writes loops over all indices of an array, around a body that receives the index. */
  void loop(Dims sizes, Consumer<ImmutableList<Value>> body) {
    nest.write(sizes, body);
  }

  /**
   * Counts the operations of an iteration. Throws {@link NoCodeException} if there are too many for
   * this code to pay off.
   */
  void charge(long count, long operationsEach) {
    operations += count * (operationsEach < LONG ? (operationsEach + 1) / 2 : operationsEach);
    long most = strategy.hasCalls() ? MAX_OPERATIONS_WITH_CALLS : MAX_OPERATIONS;
    if (operations > most || emitter.operations() > MAX_WRITTEN || !strategy.hasArrays()) {
      throw new NoCodeException("better done by kernels on arrays");
    }
  }

  /** Returns about how many operations have been written, with those of loops over arrays. */
  long allOperations() {
    return operations + emitter.operations();
  }

  /** Returns whether an array is so small that its elements are local variables. */
  boolean isInLocals(Shape.Array shape) {
    return shape.elementCount() <= strategy.maxElementsInLocals();
  }

  /**
   * Returns whether the elements of an array, which take {@code cost} operations each, are computed
   * without a loop.
   */
  boolean isUnrolled(Shape.Array shape, int cost) {
    return isInLocals(shape) && isUnrolled(shape.elementCount(), cost);
  }

  /** Returns whether {@code count} computations of {@code cost} operations each are unrolled. */
  boolean isUnrolled(long count, int cost) {
    return count * Math.max(1, cost) <= strategy.maxUnrolledOperations();
  }

  /** Returns the approximate number of operations that it takes to read an element. */
  static int cost(Operand.Leaf leaf) {
    return leaf instanceof Operand.Deferred deferred ? deferred.cost() : 0;
  }

  /** Returns the sum of the costs of several arrays. */
  static int cost(Collection<Operand.Leaf> leaves) {
    return leaves.stream().mapToInt(ArrayCode::cost).sum();
  }

  /**
   * Returns a computed array.
   *
   * @param shape its shape
   * @param cost about how many operations an element takes, including those of its sources
   * @param sources the arrays that it is computed from
   * @param isShared whether it is read more than once
   * @param formula writes the code of an element
   */
  Operand.Leaf compute(
      Shape.Array shape,
      int cost,
      Collection<Operand.Leaf> sources,
      boolean isShared,
      Operand.Formula formula) {
    long count = shape.elementCount();
    if (count == 1) {
      return new Operand.Scalar(shape.elementType(), formula.at(indices.all(shape.sizes()).get(0)));
    }
    requireFits(shape);
    if (isUnrolled(shape, cost)) {
      charge(count, cost);
      return elements(shape, formula);
    }
    ImmutableSet<Integer> reads =
        sources.stream()
            .flatMap(source -> source.reads().stream())
            .collect(ImmutableSet.toImmutableSet());
    Operand.Deferred deferred = new Operand.Deferred(shape, cost, reads, formula);
    return cost > (isShared ? MAX_RECOMPUTED_COST : MAX_DEFERRED_COST)
        ? inMemory(deferred)
        : deferred;
  }

  void requireFits(Shape.Array shape) {
    if (!strategy.hasArrays() || shape.elementCount() == 0 || shape.elementCount() > MAX_ELEMENTS) {
      throw new NoCodeException("better done by a kernel: " + shape);
    }
  }

  private Operand.InLocals elements(Shape.Array shape, Operand.Formula formula) {
    ImmutableList.Builder<Value> values = ImmutableList.builder();
    for (ImmutableList<Value> index : indices.all(shape.sizes())) {
      int mark = emitter.mark();
      Value value = formula.at(index);
      emitter.release(mark, ImmutableList.of(value));
      values.add(value);
    }
    return new Operand.InLocals(shape, values.build());
  }

  /** Copies the elements of an array to new variables, which are not released. */
  Operand.InLocals variables(Shape.Array shape, Operand.Leaf leaf) {
    return new Operand.InLocals(
        shape,
        indices.all(shape.sizes()).stream()
            .map(index -> emitter.variable(at(leaf, index)))
            .collect(ImmutableList.toImmutableList()));
  }

  // ---- reading

  /** Writes the code of an element. */
  Value at(Operand.Leaf leaf, ImmutableList<Value> index) {
    return switch (leaf) {
      case Operand.Scalar scalar -> scalar.value();
      case Operand.InLocals elements -> {
        OptionalInt position = indices.knownPosition(elements.shape().sizes(), index);
        yield elements.values().get(position.orElseThrow());
      }
      case Operand.InMemory buffer -> {
        Value position = indices.position(buffer.shape().sizes(), index);
        yield emitter.load(
            buffer.shape().elementType(), arrays.requireCurrent(buffer).local(), position.local());
      }
      case Operand.Deferred deferred -> deferred.formula().at(index);
    };
  }

  /**
   * Returns an array that can be read at indices that are unknown when the code is written. An
   * array in local variables is stored in memory.
   */
  Operand.Leaf toIndexable(Operand.Leaf leaf) {
    return leaf instanceof Operand.InLocals ? inMemory(leaf) : leaf;
  }

  /**
   * Returns the arrays to read for the elements of a result, each at the same index or another
   * known one.
   *
   * @param cost about how many operations an element of the result takes
   */
  ImmutableList<Operand.Leaf> readable(Shape.Array result, int cost, List<Operand.Leaf> leaves) {
    boolean isKnown = Operand.isScalar(result) || isUnrolled(result, cost);
    return leaves.stream()
        .map(leaf -> isKnown ? leaf : toIndexable(leaf))
        .collect(ImmutableList.toImmutableList());
  }

  /**
   * Returns an array that is cheap to read many times. An array that takes long to compute is
   * stored.
   */
  Operand.Leaf materializeIfExpensive(Operand.Leaf leaf) {
    return cost(leaf) > MAX_RECOMPUTED_COST ? inMemory(leaf) : leaf;
  }

  // ---- memory

  /** Returns the array in memory: where it is already, or newly stored. */
  Operand.InMemory inMemory(Operand.Leaf leaf) {
    return switch (leaf) {
      case Operand.InMemory buffer -> arrays.requireCurrent(buffer);
      case Operand.InLocals elements -> stored(elements.shape(), elements);
      case Operand.Deferred deferred -> stored(deferred.shape(), deferred);
      case Operand.Scalar scalar -> throw new NoCodeException("no array: " + scalar);
    };
  }

  private Operand.InMemory stored(Shape.Array shape, Operand.Leaf leaf) {
    Operand.InMemory buffer = arrays.workspace(shape);
    store(leaf, buffer);
    return buffer;
  }

  /** Stores all elements in an array with as many. */
  void store(Operand.Leaf from, Operand.InMemory to) {
    store(from, to.shape().sizes(), index -> index, to, index -> index);
  }

  /**
   * Stores elements in an array.
   *
   * @param from the array that is read
   * @param sizes the sizes of the part that is read
   * @param source maps the index of an element of the part to its index in the array that is read
   * @param to the array that is written
   * @param place maps it to the index in the array that is written
   */
  void store(
      Operand.Leaf from,
      Dims sizes,
      UnaryOperator<ImmutableList<Value>> source,
      Operand.InMemory to,
      UnaryOperator<ImmutableList<Value>> place) {
    charge(sizes.product(), cost(from));
    if (from instanceof Operand.InLocals) {
      for (ImmutableList<Value> index : indices.all(sizes)) {
        int mark = emitter.mark();
        store(at(from, source.apply(index)), to, place.apply(index));
        emitter.release(mark);
      }
    } else {
      nest.write(sizes, index -> store(at(from, source.apply(index)), to, place.apply(index)));
    }
  }

  /** Stores an element. */
  void store(Value value, Operand.InMemory to, ImmutableList<Value> index) {
    Value position = indices.position(to.shape().sizes(), index);
    emitter.store(to.shape().elementType(), to.local(), position.local(), value);
  }

  /** Overwrites an array, which has to be writable. */
  void overwrite(Operand.InMemory target, Operand.Leaf source) {
    if (source instanceof Operand.InMemory buffer) {
      charge(1, 1);
      arrays.copy(buffer, target);
    } else {
      store(source, target);
      arrays.markOverwritten(target);
    }
  }
}
