/** Who holds the arrays of literals; not part of the public API. */
@NullMarked
package org.hlo4j.hlo.ownership;

import org.jspecify.annotations.NullMarked;
