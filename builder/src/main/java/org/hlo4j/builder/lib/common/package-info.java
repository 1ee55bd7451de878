/** What the packages of the library share; not part of the public API. */
@NullMarked
package org.hlo4j.builder.lib.common;

import org.jspecify.annotations.NullMarked;
