/**
 * Functions of elements as generated code: arithmetic, comparisons, conversions, exp, log, tanh.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.math;

import org.jspecify.annotations.NullMarked;
