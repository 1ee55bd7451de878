@NullMarked
package org.hlo4j.interpreter.check.shrink;

import org.jspecify.annotations.NullMarked;
