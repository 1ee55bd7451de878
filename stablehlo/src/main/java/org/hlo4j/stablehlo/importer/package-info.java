/**
 * The conversion of StableHLO to HLO: functions become computations, and each op is lowered to its
 * HLO counterpart.
 */
@NullMarked
package org.hlo4j.stablehlo.importer;

import org.jspecify.annotations.NullMarked;
