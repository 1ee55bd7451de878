package org.hlo4j.hlo.op;

/** An op that reads or sets the sizes that an array of dynamic shape has at run time. */
public sealed interface Sizing extends Op
    permits DynamicReshape, GetDimensionSize, SetDimensionSize {}
