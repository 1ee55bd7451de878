package org.hlo4j.hlo.op;

/**
 * An op that copies elements to other positions without computing; iota computes them from their
 * indices.
 */
public sealed interface Movement extends Op
    permits Bitcast,
        Broadcast,
        Concatenate,
        DynamicSlice,
        DynamicUpdateSlice,
        Gather,
        Iota,
        Pad,
        Reshape,
        Reverse,
        Slice,
        Transpose {}
