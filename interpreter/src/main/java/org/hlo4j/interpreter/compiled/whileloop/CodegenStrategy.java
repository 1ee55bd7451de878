package org.hlo4j.interpreter.compiled.whileloop;

/**
 * The strategy by which the code of a program is generated.
 *
 * @param hasArrays whether whole arrays are computed, rather than single elements only
 * @param hasLoops whether there are loops over elements, so that an iteration is a separate method
 * @param maxElementsInLocals the maximum number of elements of an array whose elements are local
 *     variables
 * @param maxUnrolledOperations the maximum number of operations without a loop, for all elements of
 *     an array
 * @param hasCalls whether expensive instructions are calls of generated vector code
 * @param areBranchesCopied whether arrays that are results of branches are copied, each to one
 *     buffer, rather than required to be in the same buffer for all branches
 */
record CodegenStrategy(
    boolean hasArrays,
    boolean hasLoops,
    int maxElementsInLocals,
    int maxUnrolledOperations,
    boolean hasCalls,
    boolean areBranchesCopied) {
  /** Single elements only. */
  static final CodegenStrategy SINGLE = new CodegenStrategy(false, false, 1, 0, false, false);

  /** Arrays in memory, unless they are shorter than vectors, and calls of vector code. */
  static final CodegenStrategy CALLS = new CodegenStrategy(true, true, 7, 64, true, false);

  /** Small arrays in local variables. */
  static final CodegenStrategy LOCALS = new CodegenStrategy(true, false, 16, 1000, false, false);

  /** Arrays in memory, and small arrays in local variables. */
  static final CodegenStrategy LOOPS = new CodegenStrategy(true, true, 16, 64, false, false);

  /** Arrays in memory, even small ones, where {@link #LOOPS} would be too long for one method. */
  static final CodegenStrategy MEMORY = new CodegenStrategy(true, true, 1, 1, false, false);

  /** Returns this strategy, except that arrays that are results of branches are copied. */
  CodegenStrategy withBranchesCopied() {
    return new CodegenStrategy(
        hasArrays, hasLoops, maxElementsInLocals, maxUnrolledOperations, hasCalls, true);
  }
}
