/** A fuzzer of random modules, on which the evaluators must agree. */
@NullMarked
package org.hlo4j.interpreter.fuzz;

import org.jspecify.annotations.NullMarked;
