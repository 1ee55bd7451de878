@NullMarked
package org.hlo4j.check.shrink;

import org.jspecify.annotations.NullMarked;
