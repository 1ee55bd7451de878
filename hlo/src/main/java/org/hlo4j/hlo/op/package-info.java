/**
 * The operations of HLO: what each one takes, and the shape of what it gives.
 *
 * <p>{@link org.hlo4j.hlo.op.Op} is sealed: the {@code permits} clauses of its families, such as
 * {@link org.hlo4j.hlo.op.Movement}, and the rows of {@link org.hlo4j.hlo.op.Elementwise.Kind} are
 * the list of all ops. An op knows shapes, never nodes.
 */
@NullMarked
package org.hlo4j.hlo.op;

import org.jspecify.annotations.NullMarked;
