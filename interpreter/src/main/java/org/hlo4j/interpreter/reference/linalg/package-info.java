/** Factorizations of matrices, eigenvalues, and LAPACK's routines. Not exported. */
@NullMarked
package org.hlo4j.interpreter.reference.linalg;

import org.jspecify.annotations.NullMarked;
