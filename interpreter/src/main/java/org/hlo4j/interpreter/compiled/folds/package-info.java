/** Kernels that fold dimensions: reductions, fusions with reductions in them, prefix scans. */
@NullMarked
package org.hlo4j.interpreter.compiled.folds;

import org.jspecify.annotations.NullMarked;
