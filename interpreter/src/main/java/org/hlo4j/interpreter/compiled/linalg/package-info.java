/**
 * Kernels of LAPACK's routines and of the ops that do the same: triangular solves, Cholesky, LU and
 * QR factorizations, eigenvalues, and singular values. They compute in double for all types. Not
 * exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.linalg;

import org.jspecify.annotations.NullMarked;
