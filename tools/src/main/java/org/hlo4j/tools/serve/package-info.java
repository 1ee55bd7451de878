/** The programs and messages of {@code hlo4j serve}. */
@NullMarked
package org.hlo4j.tools.serve;

import org.jspecify.annotations.NullMarked;
