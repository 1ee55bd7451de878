/** Readers and writers of NumPy's array files. */
@NullMarked
package org.hlo4j.hlo.npy;

import org.jspecify.annotations.NullMarked;
