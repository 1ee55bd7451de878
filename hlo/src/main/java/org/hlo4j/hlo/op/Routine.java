package org.hlo4j.hlo.op;

/**
 * A numerical routine on whole arrays: a pure function of its operands that is in no other family.
 */
public sealed interface Routine extends Op
    permits BatchNormGrad,
        BatchNormInference,
        BatchNormTraining,
        Cholesky,
        Fft,
        RngBitGenerator,
        Topk,
        TriangularSolve {}
