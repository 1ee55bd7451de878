/**
 * The forms in which programs go to a plugin and come back: StableHLO or HLO, the options of a
 * compilation, and the optimized program.
 */
@NullMarked
package org.hlo4j.pjrt.form;

import org.jspecify.annotations.NullMarked;
