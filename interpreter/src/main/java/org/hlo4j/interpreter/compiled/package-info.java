/**
 * The compiled evaluator: passes over the module, and kernels of its instructions. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.compiled;

import org.jspecify.annotations.NullMarked;
