/** The table of ops of StableHLO and its neighbours, and how their text looks. */
@NullMarked
package org.hlo4j.stablehlo.dialect;

import org.jspecify.annotations.NullMarked;
