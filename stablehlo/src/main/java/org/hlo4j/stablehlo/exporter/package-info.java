/**
 * The conversion of HLO to StableHLO: computations become functions and regions, and each op
 * becomes its counterpart.
 */
@NullMarked
package org.hlo4j.stablehlo.exporter;

import org.jspecify.annotations.NullMarked;
