package org.hlo4j.interpreter.compiled.whileloop;

import static java.lang.constant.ConstantDescs.CD_void;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.Routine;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;

/**
 * The arrays that a program has in memory.
 *
 * <p>An array is overwritten in place: {@code dynamic-update-slice} gives the next version of it,
 * and what was there before is gone. Code that asks for a version that is gone by then is refused.
 * What others hold, such as an operand, is copied before it is written to first.
 */
final class ScalarArrays {
  private static final long MAX_WORKSPACE = 1 << 14;
  private static final ClassDesc ROUTINE = Routine.class.describeConstable().orElseThrow();

  /** What a program is given behind its operands. */
  sealed interface Given {
    /** Elements that are known. */
    record Constant(Literal literal) implements Given {}

    /** Room for elements that it computes. */
    record Workspace(Shape.Array shape) implements Given {}

    /**
     * What is called, no array but a {@link Routine}.
     *
     * @param kernel what it does
     * @param operands the numbers of the arrays that it reads
     * @param results the numbers of those that it writes
     */
    record Call(ArrayKernel kernel, ImmutableList<Integer> operands, ImmutableList<Integer> results)
        implements Given {}
  }

  private final CodeEmitter emitter;
  private final int arraysLocal;
  private final boolean isCalledAgain;
  private final List<Given> given = new ArrayList<>();
  private final List<Integer> locals = new ArrayList<>();
  private final Map<Integer, Integer> operands = new HashMap<>();
  private final Map<Integer, Integer> numbers = new HashMap<>();
  private final Set<Integer> copied = new HashSet<>();
  private final Set<Integer> owned = new HashSet<>();
  private Map<Integer, Integer> versions = new HashMap<>();
  private int arrays;
  private int lastVersion;
  private long workspace;

  /**
   * No arrays yet.
   *
   * @param emitter the scalar back end
   * @param arraysLocal the parameter that holds arrays: first the operands, then what else is given
   * @param isCalledAgain whether the method is called often, so that it should make no arrays, and
   *     its operands are its own
   */
  ScalarArrays(CodeEmitter emitter, int arraysLocal, boolean isCalledAgain) {
    this.emitter = emitter;
    this.arraysLocal = arraysLocal;
    this.isCalledAgain = isCalledAgain;
  }

  // ---- where arrays come from

  /** The next array that is given: an operand. */
  Operand.Leaf operand(Shape.Array shape, int indexLocal) {
    ElementType type = shape.elementType();
    int number = arrays++;
    int local = emitter.array(arraysLocal, number, type);
    locals.add(local);
    if (Operand.isScalar(shape)) {
      return new Operand.Scalar(type, emitter.load(type, local, indexLocal));
    }
    operands.put(local, number);
    numbers.put(local, number);
    return next(shape, local);
  }

  /** A constant; all operands have been asked for by then. */
  Operand.Leaf constant(Literal literal) {
    Shape.Array shape = Operand.array(literal.shape());
    if (literal.isElided()) {
      throw new NoCodeException("elements left out: " + shape);
    }
    if (Operand.isScalar(shape)) {
      return new Operand.Scalar(literal.elementType(), emitter.constant(literal));
    }
    return next(shape, given(shape.elementType(), new Given.Constant(literal)));
  }

  /** An array of the program's own, not yet filled. */
  Operand.InMemory workspace(Shape.Array shape) {
    workspace += shape.elementCount();
    if (workspace > MAX_WORKSPACE) {
      throw new NoCodeException("too much for memory of its own: " + shape);
    }
    int local =
        isCalledAgain
            ? given(shape.elementType(), new Given.Workspace(shape))
            : JavaArrays.make(emitter, shape.elementType(), (int) shape.elementCount());
    owned.add(local);
    return next(shape, local);
  }

  private int given(ElementType type, Given array) {
    given.add(array);
    int local = JavaArrays.given(emitter, arraysLocal, arrays, type);
    numbers.put(local, arrays++);
    return local;
  }

  /** Writes a call of what computes some arrays, all of which the program is given. */
  void call(ArrayKernel kernel, List<Operand.InMemory> operands, List<Operand.InMemory> results) {
    given.add(new Given.Call(kernel, numbers(operands), numbers(results)));
    int local = JavaArrays.given(emitter, arraysLocal, arrays++, ROUTINE);
    emitter.code().aload(local).invokeinterface(ROUTINE, "run", MethodTypeDesc.of(CD_void));
  }

  private ImmutableList<Integer> numbers(List<Operand.InMemory> all) {
    return all.stream().map(this::number).collect(ImmutableList.toImmutableList());
  }

  private int number(Operand.InMemory cells) {
    Integer number = numbers.get(there(cells).local());
    if (number == null) {
      throw new NoCodeException("made anew in each iteration: " + cells);
    }
    return number;
  }

  /** Whether anything is called. */
  boolean hasCalls() {
    return given.stream().anyMatch(Given.Call.class::isInstance);
  }

  /** What the program is to be given behind its operands. */
  List<Given> given() {
    return given;
  }

  /** The local variable that holds the array of an operand. */
  int local(int operand) {
    return locals.get(operand);
  }

  /** An operand that the program may write to, as nobody else holds it. */
  Operand.InMemory own(Operand.InMemory cells) {
    owned.add(cells.local());
    return cells;
  }

  /** Which operand an array is, or is a copy of. */
  OptionalInt operand(Operand.InMemory cells) {
    Integer number = operands.get(cells.local());
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** Whether nobody else holds an array, so that the program may write to it. */
  boolean isOwned(Operand.InMemory cells) {
    return owned.contains(cells.local());
  }

  /** Whether it is an array that the program is given, and that nothing writes to. */
  boolean isFixed(Operand item) {
    return item instanceof Operand.InMemory cells
        && numbers.containsKey(cells.local())
        && !isOwned(cells);
  }

  /** Which operands are to be given as copies. */
  Set<Integer> copied() {
    return copied;
  }

  // ---- versions

  private Operand.InMemory next(Shape.Array shape, int local) {
    versions.put(local, ++lastVersion);
    return new Operand.InMemory(shape, local, lastVersion);
  }

  /** An array that has to be still as it was. */
  Operand.InMemory there(Operand.InMemory cells) {
    if (!Objects.equals(versions.get(cells.local()), cells.version())) {
      throw new NoCodeException("overwritten by now: " + cells);
    }
    return cells;
  }

  /** The same array as it is now. */
  Operand.InMemory now(Operand.InMemory cells) {
    return new Operand.InMemory(
        cells.shape(), cells.local(), requireNonNull(versions.get(cells.local())));
  }

  /** The versions of all arrays, to go back to. */
  Map<Integer, Integer> versions() {
    return Map.copyOf(versions);
  }

  /** Goes back: what is written next is not run behind what was written since. */
  void restore(Map<Integer, Integer> before) {
    versions = new HashMap<>(before);
  }

  /** What is written next is run behind one of several pieces of code. */
  void join(List<Map<Integer, Integer>> ends) {
    Set<Integer> locals = new HashSet<>();
    ends.forEach(end -> locals.addAll(end.keySet()));
    for (Integer local : locals) {
      if (ends.stream().map(end -> end.getOrDefault(local, 0)).distinct().count() > 1) {
        versions.put(local, ++lastVersion);
      }
    }
  }

  /**
   * An array that can be written to, with the same elements.
   *
   * @param isOnce whether this is run once only, so that an operand can be given as a copy
   */
  Operand.InMemory writable(Operand.InMemory cells, boolean isOnce) {
    there(cells);
    if (owned.contains(cells.local())) {
      return next(cells.shape(), cells.local());
    }
    if (isOnce && operands.containsKey(cells.local())) {
      copied.add(operands.get(cells.local()));
      owned.add(cells.local());
      return next(cells.shape(), cells.local());
    }
    return copy(cells);
  }

  /** A copy of an array. */
  Operand.InMemory copy(Operand.InMemory cells) {
    there(cells);
    int local = JavaArrays.copy(emitter, cells.shape().elementType(), cells.local());
    owned.add(local);
    return next(cells.shape(), local);
  }

  /** Overwrites an array with the elements of another. */
  void copy(Operand.InMemory from, Operand.InMemory to) {
    JavaArrays.copy(emitter, there(from).local(), to.local(), (int) to.shape().elementCount());
    overwritten(to);
  }

  /** Notes that an array is not as it was. */
  void overwritten(Operand.InMemory cells) {
    next(cells.shape(), cells.local());
  }
}
