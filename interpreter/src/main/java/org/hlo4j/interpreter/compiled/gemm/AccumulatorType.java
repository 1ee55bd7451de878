package org.hlo4j.interpreter.compiled.gemm;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import org.hlo4j.hlo.ElementType;

/** The element type in which products are multiplied and accumulated. */
public enum AccumulatorType {
  /** For f32 and narrower floats. */
  F32(ElementType.F32, float.class, "FloatVector"),
  /** For f64, and where f32 cannot represent the operands or sums of integers. */
  F64(ElementType.F64, double.class, "DoubleVector"),
  /** For integers of at most 32 bits. Arithmetic wraps modulo 2^32. */
  I32(ElementType.S32, int.class, "IntVector"),
  /** For other integers. Arithmetic wraps modulo 2^64. */
  I64(ElementType.S64, long.class, "LongVector");

  private final ElementType type;
  private final Class<?> component;

  @SuppressWarnings("Immutable") // descriptors are, but do not say so
  private final ClassDesc element;

  @SuppressWarnings("Immutable")
  private final ClassDesc vector;

  AccumulatorType(ElementType type, Class<?> component, String vector) {
    this.type = type;
    this.component = component;
    this.element = component.describeConstable().orElseThrow();
    this.vector = ClassDesc.of("jdk.incubator.vector", vector);
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
    return type.bits();
  }

  /** {@return the element type; integers of both kinds are stored as signed ones} */
  public ElementType type() {
    return type;
  }

  /** {@return whether the storage of a type is an array of this type} */
  boolean isStorageOf(ElementType other) {
    return other.kind() == ElementType.Kind.UNSIGNED
        ? !isFloating() && other.bits() == bits()
        : other == type;
  }

  public boolean isFloating() {
    return this == F32 || this == F64;
  }
}
