package org.hlo4j.hlo.op;

/** An op that sums products of elements of two operands along dimensions that both have. */
public sealed interface Contraction extends Op permits Convolution, Dot, RaggedDot, ScaledDot {}
