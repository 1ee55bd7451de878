/** Functions that {@code jax.export} saved, called with the trees of arrays that JAX has. */
@NullMarked
package org.hlo4j.stablehlo.jax;

import org.jspecify.annotations.NullMarked;
