package org.hlo4j.hlo.op;

/**
 * An op that computes each element of the result from the elements of the operands at the same
 * index.
 */
public sealed interface Pointwise extends Op
    permits BitcastConvert,
        Clamp,
        Compare,
        Convert,
        Elementwise,
        ReducePrecision,
        Select,
        StochasticConvert {}
