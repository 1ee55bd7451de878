/** Kernels of gather, scatter, sort and top-k. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.indexing;

import org.jspecify.annotations.NullMarked;
