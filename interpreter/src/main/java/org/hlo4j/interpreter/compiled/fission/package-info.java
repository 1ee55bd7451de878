/**
 * Loops over single elements cut into several, over strips, that C2 makes vectors of: for where the
 * Vector API is not present. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled.fission;

import org.jspecify.annotations.NullMarked;
