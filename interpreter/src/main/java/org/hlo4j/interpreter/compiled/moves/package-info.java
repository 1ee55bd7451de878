/**
 * Kernels that move elements, gather, scatter, sort, and look through windows: plain loops over
 * primitive arrays, planned when the kernel is made. Bits are those of the reference evaluator,
 * unless a kernel's description says otherwise. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.moves;

import org.jspecify.annotations.NullMarked;
