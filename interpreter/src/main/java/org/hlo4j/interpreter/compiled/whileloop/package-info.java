/**
 * Loops as one generated method each. The method computes single elements: scalars and small arrays
 * are in local variables, other arrays are in memory. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.whileloop;

import org.jspecify.annotations.NullMarked;
