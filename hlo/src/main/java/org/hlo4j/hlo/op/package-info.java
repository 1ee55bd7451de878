/**
 * The operations of HLO: their attributes, and the rules for the shapes of their operands and
 * results.
 *
 * <p>{@link org.hlo4j.hlo.op.Op} is sealed: the {@code permits} clauses of its families, such as
 * {@link org.hlo4j.hlo.op.Movement}, and the rows of {@link org.hlo4j.hlo.op.Elementwise.Kind} are
 * the list of all ops. An op depends on shapes, never on instructions.
 */
@NullMarked
package org.hlo4j.hlo.op;

import org.jspecify.annotations.NullMarked;
