package org.hlo4j.interpreter.engine.sizes;

import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/**
 * A computation at the sizes of its arguments.
 *
 * @param computation the computation
 * @param result the shape of its value, without layout
 * @param isChecked whether its root is a tuple of the value and of whether no start is refused
 */
record SizedComputation(HloComputation computation, Shape result, boolean isChecked) {}
