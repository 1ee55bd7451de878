/**
 * StableHLO text, portable artifacts and files of jax.export: read into HLO and written from it.
 */
@NullMarked
package org.hlo4j.stablehlo;

import org.jspecify.annotations.NullMarked;
