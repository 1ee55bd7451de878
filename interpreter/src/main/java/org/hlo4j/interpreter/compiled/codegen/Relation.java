package org.hlo4j.interpreter.compiled.codegen;

/** A relation between two elements. If either is NaN, only {@link #NE} holds. */
public enum Relation {
  /** Equal. */
  EQ,
  /** Not equal. */
  NE,
  /** Less; integers are signed. */
  LT,
  /** Less or equal; integers are signed. */
  LE,
  /** Greater; integers are signed. */
  GT,
  /** Greater or equal; integers are signed. */
  GE,
  /** Less, of unsigned integers. */
  ULT,
  /** Less or equal, of unsigned integers. */
  ULE,
  /** Greater, of unsigned integers. */
  UGT,
  /** Greater or equal, of unsigned integers. */
  UGE;

  /** Returns whether it is a relation of unsigned integers only. */
  public boolean isUnsigned() {
    return this == ULT || this == ULE || this == UGT || this == UGE;
  }
}
