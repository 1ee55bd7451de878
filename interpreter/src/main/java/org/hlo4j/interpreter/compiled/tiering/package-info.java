/** Tiers of generated code: the vector form is warmed up in the background. Not exported. */
@NullMarked
package org.hlo4j.interpreter.compiled.tiering;

import org.jspecify.annotations.NullMarked;
