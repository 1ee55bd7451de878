/**
 * Readers and writers of StableHLO text, portable artifacts and jax.export files, and their
 * conversion to and from HLO.
 */
@NullMarked
package org.hlo4j.stablehlo;

import org.jspecify.annotations.NullMarked;
