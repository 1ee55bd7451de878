package org.hlo4j.stablehlo.mlir;

/** The limits of what recurses into regions, attributes and locations. */
final class Nesting {
  /**
   * The largest depth of regions in regions, and of what is written in brackets in brackets, in
   * text and bytecode, for reading and writing.
   */
  static final int MAX_DEPTH = 400;

  /**
   * The largest height of attributes, types and locations that refer to each other, as aliases of
   * text and entries of bytecode do; tracebacks have hundreds of frames.
   */
  static final int MAX_HEIGHT = 1000;

  private Nesting() {}
}
