/** HLO to StableHLO: computations become functions and regions, each op its counterpart. */
@NullMarked
package org.hlo4j.stablehlo.exporter;

import org.jspecify.annotations.NullMarked;
