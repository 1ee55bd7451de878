package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;

/** The form in which an element is computed with. */
public enum Lane {
  /** A float: f32, and all narrower float types, whose values are rounded to their type. */
  F32(TypeKind.FLOAT, 32),
  /** A double: f64. */
  F64(TypeKind.DOUBLE, 64),
  /** An int: the integers of up to 32 bits, sign- or zero-extended according to their type. */
  I32(TypeKind.INT, 32),
  /** A long: s64 and u64. */
  I64(TypeKind.LONG, 64),
  /** A boolean: pred. In scalar code it is an int, 0 or 1. */
  MASK(TypeKind.INT, 8);

  private final TypeKind kind;
  private final int bits;

  Lane(TypeKind kind, int bits) {
    this.kind = kind;
    this.bits = bits;
  }

  /** Returns the type of a local variable that holds a single element. */
  public TypeKind kind() {
    return kind;
  }

  /**
   * Returns the number of bits of an element in a vector register. A mask has 8, like a pred in
   * memory.
   */
  public int bits() {
    return bits;
  }

  /** Returns whether the elements are floating-point numbers. */
  public boolean isFloating() {
    return this == F32 || this == F64;
  }

  /** Returns the lane for elements of a type. Complex types have none. */
  public static Lane of(ElementType type) {
    return switch (type.kind()) {
      case PRED -> MASK;
      case SIGNED, UNSIGNED -> type.bits() == 64 ? I64 : I32;
      case FLOAT -> type == ElementType.F64 ? F64 : F32;
      case COMPLEX -> throw new IllegalArgumentException("no lane for " + type);
    };
  }
}
