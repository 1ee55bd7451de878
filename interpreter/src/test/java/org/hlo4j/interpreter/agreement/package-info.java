/** The evaluators that tests run on, which are compared with each other. */
@NullMarked
package org.hlo4j.interpreter.agreement;

import org.jspecify.annotations.NullMarked;
