@NullMarked
package org.hlo4j.interpreter.check;

import org.jspecify.annotations.NullMarked;
