/** Scalar functions as HLO defines them, shared by both evaluators. Not exported. */
@NullMarked
package org.hlo4j.interpreter.math;

import org.jspecify.annotations.NullMarked;
