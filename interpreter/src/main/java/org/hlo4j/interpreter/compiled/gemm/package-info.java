/** Kernels for products of matrices of all kinds. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.gemm;

import org.jspecify.annotations.NullMarked;
