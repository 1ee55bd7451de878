/**
 * Kernels of LAPACK's routines and of the ops that do the same: triangular systems, Cholesky, LU,
 * QR, eigenvalues, singular values, in double whatever the type. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.linalg;

import org.jspecify.annotations.NullMarked;
