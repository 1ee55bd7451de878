/** Other systems, which run programs by a command. */
@NullMarked
package org.hlo4j.check.external;

import org.jspecify.annotations.NullMarked;
