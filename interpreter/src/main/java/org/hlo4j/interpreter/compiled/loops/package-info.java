/** Element-wise fusions as generated loops. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.loops;

import org.jspecify.annotations.NullMarked;
