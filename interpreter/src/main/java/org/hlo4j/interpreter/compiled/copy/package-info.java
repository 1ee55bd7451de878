/**
 * Kernels that copy elements: slices, transposes, pads, concatenations, iota, bitcasts. Not
 * exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.copy;

import org.jspecify.annotations.NullMarked;
