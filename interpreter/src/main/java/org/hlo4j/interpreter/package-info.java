/** Evaluators of modules on dense arrays, in plain Java. */
@NullMarked
package org.hlo4j.interpreter;

import org.jspecify.annotations.NullMarked;
