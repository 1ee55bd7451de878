package org.hlo4j.hlo.op;

/**
 * An op that needs more than its operands: the device it runs on, another device, a random state,
 * or code from outside.
 */
public sealed interface External extends Op
    permits CustomCall, PartitionId, Recv, ReplicaId, Rng, RngGetAndUpdateState {}
