/**
 * The HLO graph: immutable modules, computations and instructions, and the verifier that checks
 * them against XLA's rules.
 */
@NullMarked
package org.hlo4j.hlo.ir;

import org.jspecify.annotations.NullMarked;
