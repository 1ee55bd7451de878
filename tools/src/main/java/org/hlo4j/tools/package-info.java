/** The command line {@code hlo4j}. */
@NullMarked
package org.hlo4j.tools;

import org.jspecify.annotations.NullMarked;
