/** What computes an instruction fast, and what it may use meanwhile. Not exported. */
@NullMarked
package org.hlo4j.interpreter.kernel;

import org.jspecify.annotations.NullMarked;
