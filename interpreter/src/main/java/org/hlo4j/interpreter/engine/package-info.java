/**
 * The runtime of both evaluators: programs and schedules, liveness and buffers, limits, devices,
 * kernels. Not exported.
 */
@NullMarked
package org.hlo4j.interpreter.engine;

import org.jspecify.annotations.NullMarked;
