/**
 * The mathematical functions of XLA's client libraries: error functions, gamma functions, Bessel
 * functions and the like.
 */
@NullMarked
package org.hlo4j.builder.lib.math;

import org.jspecify.annotations.NullMarked;
