package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;

/** The element type in which products are multiplied and accumulated. */
public enum AccumulatorType {
  /** For f32 and narrower floats. */
  F32(float.class, "FloatVector", Float.SIZE),
  /** For f64, and where f32 cannot represent the operands or sums of integers. */
  F64(double.class, "DoubleVector", Double.SIZE),
  /** For integers of at most 32 bits. Arithmetic wraps modulo 2^32. */
  I32(int.class, "IntVector", Integer.SIZE),
  /** For other integers. Arithmetic wraps modulo 2^64. */
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

  /** {@return the primitive type of the elements} */
  Class<?> component() {
    return component;
  }

  TypeKind kind() {
    return TypeKind.from(component);
  }

  ClassDesc element() {
    return element;
  }

  /** {@return the vector class of the elements} */
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
