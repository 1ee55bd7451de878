/**
 * Values: element types, dimensions, shapes, literals, and the one exception.
 *
 * <p>Nothing here knows of ops or graphs. All types are immutable and equal by content.
 */
@NullMarked
package org.hlo4j.hlo;

import org.jspecify.annotations.NullMarked;
