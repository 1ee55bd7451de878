/**
 * The reference evaluator: an executable form of the specification, written for clarity. The
 * results of faster evaluators are checked against it.
 *
 * <p>Ops that move elements never look at element types. Scalar functions compute in a wide type
 * and round or wrap once to the element type. Results have the same bits on every machine.
 */
@NullMarked
package org.hlo4j.interpreter.reference;

import org.jspecify.annotations.NullMarked;
