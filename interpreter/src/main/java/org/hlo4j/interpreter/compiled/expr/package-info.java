/**
 * Computations on scalars as code on lanes: what a value is computed from, whether there is code
 * for it, what tells it from others, and the code. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.expr;

import org.jspecify.annotations.NullMarked;
