/**
 * Modules at the sizes that their arguments have: programs with bounded sizes, written as static
 * ones that are compiled like any other. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.engine.sizes;

import org.jspecify.annotations.NullMarked;
