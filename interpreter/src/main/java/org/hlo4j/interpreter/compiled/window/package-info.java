/**
 * Kernels of ops over windows: reduce-window, select-and-scatter, batch normalization. Not
 * exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.window;

import org.jspecify.annotations.NullMarked;
