/** Programs of files, the choice among them, and what is found wrong with them. */
@NullMarked
package org.hlo4j.tools.program;

import org.jspecify.annotations.NullMarked;
