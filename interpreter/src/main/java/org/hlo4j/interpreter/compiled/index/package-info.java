/**
 * Index maps: which elements the iterations of loops read and write. An {@code IterationSpace} is
 * what loops run through, an {@code AffineIndex} a function of their counters, and {@code
 * AffineAlgebra} the arithmetic with which movement ops say where an element comes from. Where that
 * is no affine function, the iteration space is split.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.index;

import org.jspecify.annotations.NullMarked;
