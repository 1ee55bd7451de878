/** The table of the ops of StableHLO and related dialects, and their text forms. */
@NullMarked
package org.hlo4j.stablehlo.dialect;

import org.jspecify.annotations.NullMarked;
