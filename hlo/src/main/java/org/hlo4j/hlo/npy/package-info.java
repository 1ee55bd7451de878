/** Arrays as NumPy stores them. */
@NullMarked
package org.hlo4j.hlo.npy;

import org.jspecify.annotations.NullMarked;
