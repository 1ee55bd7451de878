/**
 * Discrete Fourier transforms. A plan is a sequence of steps, each of which is a generated loop
 * over complex numbers in double, with separate real and imaginary parts. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.fft;

import org.jspecify.annotations.NullMarked;
