package org.hlo4j.interpreter.compiled.loops;

/**
 * A counter that stands still while the loops run: where a dynamic slice starts in a dimension.
 *
 * @param value the start as it is asked for, an integer that depends on no loop
 * @param most the last one at which the slice fits
 */
record DynamicStart(LoopNode value, long most) {}
