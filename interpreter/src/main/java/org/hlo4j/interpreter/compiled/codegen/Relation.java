package org.hlo4j.interpreter.compiled.codegen;

/** A relation between two elements. With NaN only {@link #NE} holds. */
public enum Relation {
  /** Equal. */
  EQ,
  /** Not equal. */
  NE,
  /** Less; of integers signed. */
  LT,
  /** Less or equal; of integers signed. */
  LE,
  /** Greater; of integers signed. */
  GT,
  /** Greater or equal; of integers signed. */
  GE,
  /** Less, of unsigned integers. */
  ULT,
  /** Less or equal, of unsigned integers. */
  ULE,
  /** Greater, of unsigned integers. */
  UGT,
  /** Greater or equal, of unsigned integers. */
  UGE;

  /** Whether it is one of unsigned integers only. */
  public boolean isUnsigned() {
    return this == ULT || this == ULE || this == UGT || this == UGE;
  }
}
