package org.hlo4j.hlo.op;

/** An op that sums products of the elements of two operands along shared dimensions. */
public sealed interface Contraction extends Op permits Convolution, Dot, RaggedDot, ScaledDot {}
