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
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.JavaArrays;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;

/**
 * The arrays that a program has in memory.
 *
 * <p>An array is overwritten in place: {@code dynamic-update-slice} creates its next version, and
 * the previous contents are lost. Code that reads a lost version is rejected with a {@link
 * NoCodeException}. An array that others hold, such as an operand, is copied before it is written
 * to.
 */
final class ScalarArrays {
  private static final long MAX_WORKSPACE = 1 << 14;
  private static final ClassDesc ROUTINE = BoundKernel.class.describeConstable().orElseThrow();

  /** An argument of a program after its operands. */
  sealed interface Given {
    /** An array of known elements. */
    record Constant(Literal literal) implements Given {}

    /** A buffer for elements that the program computes. */
    record Workspace(Shape.Array shape) implements Given {}

    /**
     * A {@link BoundKernel} that the program calls, rather than an array.
     *
     * @param kernel the kernel that is called
     * @param operands the numbers of the arrays that it reads
     * @param results the numbers of the arrays that it writes
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
   * Creates the arrays of a program, none at first.
   *
   * @param emitter the scalar emitter
   * @param arraysLocal the parameter that holds the arguments: first the operands, then the others
   * @param isCalledAgain whether the method is called often, so that it should not allocate arrays,
   *     and its operands are its own
   */
  ScalarArrays(CodeEmitter emitter, int arraysLocal, boolean isCalledAgain) {
    this.emitter = emitter;
    this.arraysLocal = arraysLocal;
    this.isCalledAgain = isCalledAgain;
  }

  // ---- where arrays come from

  /** Returns the next operand. */
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
    return newVersion(shape, local);
  }

  /** Returns a constant. All operands have to be requested before. */
  Operand.Leaf constant(Literal literal) {
    Shape.Array shape = Operand.array(literal.shape());
    if (literal.isElided()) {
      throw new NoCodeException("elements left out: " + shape);
    }
    if (Operand.isScalar(shape)) {
      return new Operand.Scalar(literal.elementType(), emitter.constant(literal));
    }
    return newVersion(shape, given(shape.elementType(), new Given.Constant(literal)));
  }

  /** Returns an array of the program's own, with undefined contents. */
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
    return newVersion(shape, local);
  }

  private int given(ElementType type, Given array) {
    given.add(array);
    int local = JavaArrays.given(emitter, arraysLocal, arrays, type);
    numbers.put(local, arrays++);
    return local;
  }

  /**
   * Writes a call of a kernel. All arrays that it reads and writes have to be arguments of the
   * program.
   */
  void call(ArrayKernel kernel, List<Operand.InMemory> operands, List<Operand.InMemory> results) {
    given.add(new Given.Call(kernel, numbers(operands), numbers(results)));
    int local = JavaArrays.given(emitter, arraysLocal, arrays++, ROUTINE);
    emitter.code().aload(local).invokeinterface(ROUTINE, "run", MethodTypeDesc.of(CD_void));
  }

  private ImmutableList<Integer> numbers(List<Operand.InMemory> all) {
    return all.stream().map(this::number).collect(ImmutableList.toImmutableList());
  }

  private int number(Operand.InMemory buffer) {
    Integer number = numbers.get(requireCurrent(buffer).local());
    if (number == null) {
      throw new NoCodeException("made anew in each iteration: " + buffer);
    }
    return number;
  }

  /** Returns whether the program calls anything. */
  boolean hasCalls() {
    return given.stream().anyMatch(Given.Call.class::isInstance);
  }

  /** Returns the arguments of the program after its operands. */
  List<Given> given() {
    return given;
  }

  /** Returns the local variable that holds the array of an operand. */
  int local(int operand) {
    return locals.get(operand);
  }

  /**
   * Returns an operand after noting that nobody else holds it, so that the program may write to it.
   */
  Operand.InMemory markOwned(Operand.InMemory buffer) {
    owned.add(buffer.local());
    return buffer;
  }

  /** Returns the number of the operand that an array is, or is a copy of. */
  OptionalInt operand(Operand.InMemory buffer) {
    Integer number = operands.get(buffer.local());
    return number == null ? OptionalInt.empty() : OptionalInt.of(number);
  }

  /** Returns whether nobody else holds an array, so that the program may write to it. */
  boolean isOwned(Operand.InMemory buffer) {
    return owned.contains(buffer.local());
  }

  /** Returns whether a value is an array argument of the program that nothing writes to. */
  boolean isFixed(Operand item) {
    return item instanceof Operand.InMemory buffer
        && numbers.containsKey(buffer.local())
        && !isOwned(buffer);
  }

  /** Returns the numbers of the operands that have to be passed as copies. */
  Set<Integer> copied() {
    return copied;
  }

  // ---- versions

  private Operand.InMemory newVersion(Shape.Array shape, int local) {
    versions.put(local, ++lastVersion);
    return new Operand.InMemory(shape, local, lastVersion);
  }

  /** Returns the array. Throws {@link NoCodeException} if it has been overwritten since. */
  Operand.InMemory requireCurrent(Operand.InMemory buffer) {
    if (!Objects.equals(versions.get(buffer.local()), buffer.version())) {
      throw new NoCodeException("overwritten by now: " + buffer);
    }
    return buffer;
  }

  /** Throws {@link NoCodeException} if a value is an array that has been overwritten since. */
  void requireUnchanged(Operand.Leaf leaf) {
    if (leaf instanceof Operand.InMemory buffer) {
      var _ = requireCurrent(buffer);
    }
  }

  /** Returns the current version of an array. */
  Operand.InMemory currentVersion(Operand.InMemory buffer) {
    return new Operand.InMemory(
        buffer.shape(), buffer.local(), requireNonNull(versions.get(buffer.local())));
  }

  /** Returns the versions of all arrays, for {@link #restore}. */
  Map<Integer, Integer> versions() {
    return Map.copyOf(versions);
  }

  /**
   * Restores versions: the code that is written next does not run after the code written since
   * then.
   */
  void restore(Map<Integer, Integer> before) {
    versions = new HashMap<>(before);
  }

  /** Merges versions: the code that is written next runs after one of several branches. */
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
   * Returns an array with the same elements that can be written to.
   *
   * @param isOnce whether the code runs only once, so that an operand can be passed as a copy
   */
  Operand.InMemory writable(Operand.InMemory buffer, boolean isOnce) {
    requireCurrent(buffer);
    if (owned.contains(buffer.local())) {
      return newVersion(buffer.shape(), buffer.local());
    }
    if (isOnce && operands.containsKey(buffer.local())) {
      copied.add(operands.get(buffer.local()));
      owned.add(buffer.local());
      return newVersion(buffer.shape(), buffer.local());
    }
    return copy(buffer);
  }

  /** Returns a copy of an array. */
  Operand.InMemory copy(Operand.InMemory buffer) {
    requireCurrent(buffer);
    int local = JavaArrays.copy(emitter, buffer.shape().elementType(), buffer.local());
    owned.add(local);
    return newVersion(buffer.shape(), local);
  }

  /** Overwrites an array with the elements of another. */
  void copy(Operand.InMemory from, Operand.InMemory to) {
    JavaArrays.copy(
        emitter, requireCurrent(from).local(), to.local(), (int) to.shape().elementCount());
    markOverwritten(to);
  }

  /** Notes that an array is overwritten, so that older versions are lost. */
  void markOverwritten(Operand.InMemory buffer) {
    newVersion(buffer.shape(), buffer.local());
  }
}
