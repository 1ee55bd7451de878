/**
 * The graph: modules of computations of instructions, immutable once built, and the verifier that
 * holds them to XLA's rules.
 */
@NullMarked
package org.hlo4j.hlo.ir;

import org.jspecify.annotations.NullMarked;
