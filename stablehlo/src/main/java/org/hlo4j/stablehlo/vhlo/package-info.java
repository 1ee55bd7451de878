/** Portable artifacts of StableHLO: MLIR bytecode of a dialect whose versions stay readable. */
@NullMarked
package org.hlo4j.stablehlo.vhlo;

import org.jspecify.annotations.NullMarked;
