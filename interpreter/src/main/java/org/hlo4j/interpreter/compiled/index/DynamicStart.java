package org.hlo4j.interpreter.compiled.index;

/**
 * The start index of a dynamic slice in one dimension. It acts as a loop counter that stays
 * constant while the loops run.
 *
 * @param value the requested start, a loop-invariant integer
 * @param maxStart the largest start at which the slice fits
 * @param <V> what stands for a value
 */
public record DynamicStart<V>(V value, long maxStart) {}
