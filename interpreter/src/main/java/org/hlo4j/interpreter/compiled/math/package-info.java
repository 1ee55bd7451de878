/**
 * Generated code for functions of elements: arithmetic, comparisons, conversions, exp, log, tanh
 * and others.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.math;

import org.jspecify.annotations.NullMarked;
