/**
 * Whether the compiled evaluator gives what the reference gives: bit for bit, and where it promises
 * less, within what it promises.
 */
@NullMarked
package org.hlo4j.interpreter.agreement;

import org.jspecify.annotations.NullMarked;
