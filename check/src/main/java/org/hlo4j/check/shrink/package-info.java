/** Makes a program smaller while it keeps a property. */
@NullMarked
package org.hlo4j.check.shrink;

import org.jspecify.annotations.NullMarked;
