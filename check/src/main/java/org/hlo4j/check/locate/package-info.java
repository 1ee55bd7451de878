/**
 * Searches for the instruction, or the pass of a compiler, at which a result becomes another one.
 */
@NullMarked
package org.hlo4j.check.locate;

import org.jspecify.annotations.NullMarked;
