/** Checks of arguments that all packages share; not exported. */
@NullMarked
package org.hlo4j.hlo.arguments;

import org.jspecify.annotations.NullMarked;
