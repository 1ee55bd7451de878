/** What the packages of the library share; not for users. */
@NullMarked
package org.hlo4j.builder.lib.common;

import org.jspecify.annotations.NullMarked;
