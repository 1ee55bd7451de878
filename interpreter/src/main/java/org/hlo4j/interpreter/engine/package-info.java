/**
 * What runs programs, whichever evaluator made them: programs and schedules, liveness and buffers,
 * limits, devices, kernels. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.engine;

import org.jspecify.annotations.NullMarked;
