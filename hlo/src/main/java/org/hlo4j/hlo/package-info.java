/**
 * Values: element types, dimensions, shapes, literals, and the one exception.
 *
 * <p>In all packages, a call with values that a method does not take throws {@link
 * org.hlo4j.hlo.HloException}, or for null a {@link NullPointerException}, with a message that says
 * what was got.
 *
 * <p>Nothing here knows of ops or graphs. All types are immutable and equal by content.
 */
@NullMarked
package org.hlo4j.hlo;

import org.jspecify.annotations.NullMarked;
