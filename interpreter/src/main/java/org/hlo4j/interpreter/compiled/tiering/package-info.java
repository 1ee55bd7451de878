/** Vector code: warmed up in the background, and used once C2 has compiled it. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.tiering;

import org.jspecify.annotations.NullMarked;
