@NullMarked
package org.hlo4j.interpreter.check.generate;

import org.jspecify.annotations.NullMarked;
