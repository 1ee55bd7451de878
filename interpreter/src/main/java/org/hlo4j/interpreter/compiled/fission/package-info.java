/**
 * Fission of scalar loops into several loops over strips, which C2 vectorizes. Used where the
 * Vector API is not present. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.fission;

import org.jspecify.annotations.NullMarked;
