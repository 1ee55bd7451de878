/** Functions that {@code jax.export} saved, which are called with JAX's trees of arrays. */
@NullMarked
package org.hlo4j.stablehlo.jax;

import org.jspecify.annotations.NullMarked;
