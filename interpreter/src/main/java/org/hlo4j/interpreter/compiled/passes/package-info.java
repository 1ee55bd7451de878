/**
 * Passes that rewrite a module into one that computes the same bits and runs faster: inlined,
 * simplified, and divided into fusions for which the code generators make kernels. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.passes;

import org.jspecify.annotations.NullMarked;
