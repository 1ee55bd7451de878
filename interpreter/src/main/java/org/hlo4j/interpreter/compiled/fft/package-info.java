/**
 * Discrete Fourier transforms: plans of steps, each a generated loop over numbers in double, real
 * and imaginary parts apart. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.fft;

import org.jspecify.annotations.NullMarked;
