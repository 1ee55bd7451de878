/** Functions that {@code jax.export} saved, which are called with JAX's trees of arrays. */
@CheckReturnValue
@NullMarked
package org.hlo4j.stablehlo.jax;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
