package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;

/** The element type in which products are multiplied and accumulated. */
public enum AccumulatorType {
  /** For f32 and narrower floats. */
  F32(ElementType.F32, float.class),
  /** For f64, and where f32 cannot represent the operands or sums of integers. */
  F64(ElementType.F64, double.class),
  /** For integers of at most 32 bits. Arithmetic wraps modulo 2^32. */
  I32(ElementType.S32, int.class),
  /** For other integers. Arithmetic wraps modulo 2^64. */
  I64(ElementType.S64, long.class);

  private final ElementType type;
  private final Class<?> component;

  AccumulatorType(ElementType type, Class<?> component) {
    this.type = type;
    this.component = component;
  }

  /** {@return the primitive type of the elements} */
  Class<?> component() {
    return component;
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
