package org.hlo4j.interpreter.compiled.dots;

import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;

/** The type that products are multiplied and added in. */
enum Carrier {
  /** f32 and narrower floats. */
  F32(TypeKind.FLOAT, ConstantDescs.CD_float, "FloatVector", Float.SIZE),
  /** f64. */
  F64(TypeKind.DOUBLE, ConstantDescs.CD_double, "DoubleVector", Double.SIZE),
  /** Integers of at most 32 bits, modulo 2^32. */
  I32(TypeKind.INT, ConstantDescs.CD_int, "IntVector", Integer.SIZE),
  /** Integers, modulo 2^64. */
  I64(TypeKind.LONG, ConstantDescs.CD_long, "LongVector", Long.SIZE);

  private final TypeKind kind;

  @SuppressWarnings("Immutable") // descriptors are, but do not say so
  private final ClassDesc element;

  @SuppressWarnings("Immutable")
  private final ClassDesc vector;

  private final int bits;

  Carrier(TypeKind kind, ClassDesc element, String vector, int bits) {
    this.kind = kind;
    this.element = element;
    this.vector = ClassDesc.of("jdk.incubator.vector", vector);
    this.bits = bits;
  }

  TypeKind kind() {
    return kind;
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

  boolean isFloating() {
    return this == F32 || this == F64;
  }
}
