/** StableHLO to HLO: functions become computations, each op its HLO counterpart. */
@NullMarked
package org.hlo4j.stablehlo.importer;

import org.jspecify.annotations.NullMarked;
