/**
 * The mathematical functions of XLA's client libraries: error functions, gamma functions and Bessel
 * functions.
 */
@NullMarked
package org.hlo4j.builder.lib.math;

import org.jspecify.annotations.NullMarked;
