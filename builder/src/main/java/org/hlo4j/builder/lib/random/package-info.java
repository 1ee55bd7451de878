/** Random bits and numbers: Philox, ThreeFry, distributions. */
@NullMarked
package org.hlo4j.builder.lib.random;

import org.jspecify.annotations.NullMarked;
