package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;

/** The type that products are multiplied and added in. */
public enum AccumulatorType {
  /** f32 and narrower floats. */
  F32(float.class, "FloatVector", Float.SIZE),
  /** f64. */
  F64(double.class, "DoubleVector", Double.SIZE),
  /** Integers of at most 32 bits, modulo 2^32. */
  I32(int.class, "IntVector", Integer.SIZE),
  /** Integers, modulo 2^64. */
  I64(long.class, "LongVector", Long.SIZE);

  private final Class<?> component;

  @SuppressWarnings("Immutable") // descriptors are, but do not say so
  private final ClassDesc element;

  @SuppressWarnings("Immutable")
  private final ClassDesc vector;

  private final int bits;

  AccumulatorType(Class<?> component, String vector, int bits) {
    this.component = component;
    this.element = component.describeConstable().orElseThrow();
    this.vector = ClassDesc.of("jdk.incubator.vector", vector);
    this.bits = bits;
  }

  /** The primitive type of the elements. */
  Class<?> component() {
    return component;
  }

  TypeKind kind() {
    return TypeKind.from(component);
  }

  ClassDesc element() {
    return element;
  }

  /** The class of its vectors. */
  ClassDesc vector() {
    return vector;
  }

  int bits() {
    return bits;
  }

  public boolean isFloating() {
    return this == F32 || this == F64;
  }
}
