/** Portable artifacts of StableHLO: MLIR bytecode of a versioned dialect that stays readable. */
@NullMarked
package org.hlo4j.stablehlo.vhlo;

import org.jspecify.annotations.NullMarked;
