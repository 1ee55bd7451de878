/** Programs with bounded sizes beside the same programs with static ones. */
@NullMarked
package org.hlo4j.interpreter.bounded;

import org.jspecify.annotations.NullMarked;
