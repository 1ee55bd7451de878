package org.hlo4j.interpreter.compiled.codegen;

import java.lang.classfile.TypeKind;
import org.hlo4j.hlo.ElementType;

/** What an element is while it is computed with. */
public enum Lane {
  /** A float; f32, and every narrower float type, rounded to it. */
  F32(TypeKind.FLOAT, 32),
  /** A double: f64. */
  F64(TypeKind.DOUBLE, 64),
  /** An int; the integers of up to 32 bits, sign- or zero-extended as their type says. */
  I32(TypeKind.INT, 32),
  /** A long: s64 and u64. */
  I64(TypeKind.LONG, 64),
  /** Whether: pred. A single one is an int, 0 or 1. */
  MASK(TypeKind.INT, 8);

  private final TypeKind kind;
  private final int bits;

  Lane(TypeKind kind, int bits) {
    this.kind = kind;
    this.bits = bits;
  }

  /** The type of a local variable that holds a single element. */
  public TypeKind kind() {
    return kind;
  }

  /** How many bits of a vector register an element takes; a mask as many as a pred in memory. */
  public int bits() {
    return bits;
  }

  /** Whether it is computed with as floating point. */
  public boolean isFloating() {
    return this == F32 || this == F64;
  }

  /** The lane elements of a type travel in; complex ones in none. */
  public static Lane of(ElementType type) {
    return switch (type.kind()) {
      case PRED -> MASK;
      case SIGNED, UNSIGNED -> type.bits() == 64 ? I64 : I32;
      case FLOAT -> type == ElementType.F64 ? F64 : F32;
      case COMPLEX -> throw new IllegalArgumentException("no lane for " + type);
    };
  }
}
