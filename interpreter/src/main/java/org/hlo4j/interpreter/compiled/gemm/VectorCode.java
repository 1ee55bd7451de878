package org.hlo4j.interpreter.compiled.gemm;

import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Writes the operations of a kernel on vectors of one type. Vectors are local variables; a guarded
 * one is known to C2 by its class, see {@link VectorClass}.
 */
final class VectorCode {
  /** The maximum trip count of an inner loop; C2 would strip-mine a longer one. */
  static final int MAX_STEPS = 960;

  private static final ClassDesc MATH = ClassDesc.of("java.lang.Math");
  private static final ClassDesc VECTOR = ClassDesc.of("jdk.incubator.vector.Vector");
  private static final ClassDesc SPECIES = ClassDesc.of("jdk.incubator.vector.VectorSpecies");

  private final AccumulatorType elements;
  private final CodeBuilder code;
  private final ClassDesc vector;
  private final ClassDesc array;
  private final String species;
  private final VectorClass type;
  private final int product;

  /**
   * Creates a writer for vectors of {@code lanes} elements.
   *
   * @param impossible the target of the jump if a vector has another class, which never happens
   */
  VectorCode(CodeBuilder code, AccumulatorType elements, int lanes, Label impossible) {
    this.code = code;
    this.elements = elements;
    this.vector = elements.vector();
    this.array = elements.element().arrayType();
    this.species = VectorClass.species(lanes * elements.bits());
    this.type = new VectorClass(code, vector, species, impossible);
    this.product = code.allocateLocal(TypeKind.REFERENCE);
  }

  /** {@return the first of some new local variables} */
  static int locals(CodeBuilder code, TypeKind kind, int count) {
    int first = code.allocateLocal(kind);
    for (int i = 1; i < count; i++) {
      code.allocateLocal(kind);
    }
    return first;
  }

  /**
   * Writes the beginning of a method. If {@code steps} is negative, the method counts up to zero
   * and returns. The virtual machine compiles a method after many calls and iterations; this way
   * the warm-up can provide them at little cost.
   *
   * @param arrays the local variables of arrays of elements
   */
  void prologue(int steps, int... arrays) {
    Label work = code.newLabel();
    Label done = code.newLabel();
    code.iload(steps).ifge(work);
    Label next = code.newBoundLabel();
    code.iload(steps).ifge(done).iinc(steps, 1).goto_(next);
    code.labelBinding(done).return_();
    code.labelBinding(work);
    type.lookUp();
    for (int each : arrays) {
      code.aload(each).checkcast(array).astore(each);
    }
  }

  /** Writes {@code steps = min(steps, MAX_STEPS)}. */
  void limit(int steps) {
    code.iload(steps).loadConstant(MAX_STEPS);
    code.invokestatic(MATH, "min", MethodTypeDesc.of(CD_int, CD_int, CD_int)).istore(steps);
  }

  void guard(int local) {
    type.guard(local);
  }

  void zero(int to) {
    species();
    code.invokestatic(vector, "zero", MethodTypeDesc.of(vector, SPECIES)).astore(to);
  }

  /** Writes the load of a vector from an array, not guarded. */
  void load(int from, Runnable position, int to) {
    species();
    code.aload(from);
    position.run();
    code.invokestatic(vector, "fromArray", MethodTypeDesc.of(vector, SPECIES, array, CD_int));
    code.astore(to);
  }

  /** Writes the load of a vector from an array, guarded. */
  void loadGuarded(int from, Runnable position, int to) {
    load(from, position, to);
    guard(to);
  }

  /** Writes a vector of an element of an array, guarded. */
  void broadcast(int from, Runnable position, int to) {
    species();
    code.aload(from);
    position.run();
    code.arrayLoad(elements.kind());
    MethodTypeDesc signature = MethodTypeDesc.of(vector, SPECIES, elements.element());
    code.invokestatic(vector, "broadcast", signature).astore(to);
    guard(to);
  }

  /** Writes {@code to = one + other}, guarded. */
  void add(int one, int other, int to) {
    code.aload(one).aload(other);
    code.invokevirtual(vector, "add", MethodTypeDesc.of(vector, VECTOR)).astore(to);
    guard(to);
  }

  /** Writes {@code sum = left * right + sum}, fused for floats, not guarded. */
  void multiplyAdd(int left, int right, int sum) {
    code.aload(left).aload(right);
    if (elements.isFloating()) {
      code.aload(sum).invokevirtual(vector, "fma", MethodTypeDesc.of(vector, VECTOR, VECTOR));
    } else {
      code.invokevirtual(vector, "mul", MethodTypeDesc.of(vector, VECTOR)).astore(product);
      guard(product);
      code.aload(product).aload(sum);
      code.invokevirtual(vector, "add", MethodTypeDesc.of(vector, VECTOR));
    }
    code.astore(sum);
  }

  void store(int from, int to, Runnable position) {
    code.aload(from).aload(to);
    position.run();
    code.invokevirtual(vector, "intoArray", MethodTypeDesc.of(CD_void, array, CD_int));
  }

  private void species() {
    code.getstatic(vector, species, SPECIES);
  }
}
