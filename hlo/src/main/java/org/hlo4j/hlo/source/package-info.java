/**
 * Positions, errors and error messages that the readers of text share; not part of the public API.
 */
@NullMarked
package org.hlo4j.hlo.source;

import org.jspecify.annotations.NullMarked;
