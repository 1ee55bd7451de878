/**
 * The operations of HLO: their attributes, and the rules for the shapes of their operands and
 * results.
 *
 * <p>{@link org.hlo4j.hlo.op.Op} is sealed: the {@code permits} clauses of its families, such as
 * {@link org.hlo4j.hlo.op.Movement}, and the rows of {@link org.hlo4j.hlo.op.Elementwise.Kind} are
 * the list of all ops. An op depends on shapes, never on instructions.
 *
 * <p>Ops have the names that XLA gives them, some of which other packages have too. Beside {@code
 * import java.util.*} or {@code import module java.base}, {@code import org.hlo4j.hlo.op.*} makes
 * {@code Map} ambiguous, until one of the two is imported by its name; in Scala, such an import
 * hides {@code Map} and {@code Tuple}, unless they are left out: {@code import
 * org.hlo4j.hlo.op.{Map as _, Tuple as _, *}}.
 */
@NullMarked
package org.hlo4j.hlo.op;

import org.jspecify.annotations.NullMarked;
