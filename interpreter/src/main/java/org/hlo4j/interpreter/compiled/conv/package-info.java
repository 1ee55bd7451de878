/** Kernels for convolutions, by products of matrices. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.conv;

import org.jspecify.annotations.NullMarked;
