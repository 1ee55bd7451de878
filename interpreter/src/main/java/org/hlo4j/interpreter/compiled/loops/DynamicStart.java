package org.hlo4j.interpreter.compiled.loops;

/**
 * The start index of a dynamic slice in one dimension. It acts as a loop counter that stays
 * constant while the loops run.
 *
 * @param value the requested start, a loop-invariant integer
 * @param maxStart the largest start at which the slice fits
 */
record DynamicStart(LoopNode value, long maxStart) {}
