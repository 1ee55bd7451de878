/**
 * Loops as one generated method each, which computes single elements: scalars and small arrays in
 * local variables, other arrays in memory. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.whileloop;

import org.jspecify.annotations.NullMarked;
