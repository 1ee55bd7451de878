/** Kernels of random bits: Philox and Threefry. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.random;

import org.jspecify.annotations.NullMarked;
