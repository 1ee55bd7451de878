package org.hlo4j.hlo.op;

/** An op that applies a computation of scalars to the elements of its operands. */
public sealed interface HigherOrder extends Op
    permits Map, Reduce, ReduceWindow, Scan, Scatter, SelectAndScatter, Sort {}
