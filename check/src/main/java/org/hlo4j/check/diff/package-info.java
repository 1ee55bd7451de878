/** The differences of two modules. */
@NullMarked
package org.hlo4j.check.diff;

import org.jspecify.annotations.NullMarked;
