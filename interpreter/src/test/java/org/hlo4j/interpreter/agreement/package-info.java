/**
 * Tests whether the compiled evaluator agrees with the reference: bit for bit, or within the
 * tolerance that it promises.
 */
@NullMarked
package org.hlo4j.interpreter.agreement;

import org.jspecify.annotations.NullMarked;
