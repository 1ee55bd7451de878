/** Kernels that reduce dimensions: reductions, fusions with reductions in them, prefix scans. */
@NullMarked
package org.hlo4j.interpreter.compiled.reduce;

import org.jspecify.annotations.NullMarked;
