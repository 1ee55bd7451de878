package org.hlo4j.interpreter.compiled.whileloop;

/**
 * In which way a program is written.
 *
 * @param hasArrays whether whole arrays are computed, too, rather than single elements only
 * @param hasLoops whether there are loops over elements, so that an iteration is a method of its
 *     own
 * @param mostInLocals how many elements an array has at most whose elements are local variables
 * @param mostUnrolled how many operations there may be without a loop, for all elements of one
 * @param hasCalls whether what takes long is done by generated code of vectors, which is called
 * @param areBranchesCopied whether arrays that come out of branches are copied, each to one place,
 *     rather than required to lie in one
 */
record CodegenStrategy(
    boolean hasArrays,
    boolean hasLoops,
    int mostInLocals,
    int mostUnrolled,
    boolean hasCalls,
    boolean areBranchesCopied) {
  /** Single elements only. */
  static final CodegenStrategy SINGLE = new CodegenStrategy(false, false, 1, 0, false, false);

  /** Arrays in memory, unless they are shorter than vectors, and calls of code of vectors. */
  static final CodegenStrategy CALLS = new CodegenStrategy(true, true, 7, 64, true, false);

  /** Small arrays in local variables. */
  static final CodegenStrategy LOCALS = new CodegenStrategy(true, false, 16, 1000, false, false);

  /** Arrays in memory. */
  static final CodegenStrategy LOOPS = new CodegenStrategy(true, true, 16, 64, false, false);

  /** The same, where that would be too much for one method. */
  static final CodegenStrategy MEMORY = new CodegenStrategy(true, true, 1, 1, false, false);

  /** The same, with arrays that come out of branches copied. */
  CodegenStrategy withBranchesCopied() {
    return new CodegenStrategy(hasArrays, hasLoops, mostInLocals, mostUnrolled, hasCalls, true);
  }
}
