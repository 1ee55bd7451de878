/** Kernels for sums of products: matrix products of all kinds, and convolutions. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.gemm;

import org.jspecify.annotations.NullMarked;
