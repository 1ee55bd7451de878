package org.hlo4j.interpreter.compiled.codegen;

/** What both back ends do with one value, result in the same lane. */
enum UnaryOperation {
  /** Sign flipped; of integers wrapping. */
  NEGATE,
  /** Absolute value; of integers wrapping. */
  ABS,
  /** Square root of floats. */
  SQRT,
  /** All bits flipped; of masks whether not. */
  NOT,
  /** How many bits are one. */
  BIT_COUNT,
  /** How many bits above the highest one. */
  LEADING_ZEROS
}
