/**
 * Code on lanes for computations on scalars: the expression graph of a value, whether all of it has
 * code, a key to share code by, and the code itself. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.expr;

import org.jspecify.annotations.NullMarked;
