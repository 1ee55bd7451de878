/** The kernel of random bits. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.random;

import org.jspecify.annotations.NullMarked;
