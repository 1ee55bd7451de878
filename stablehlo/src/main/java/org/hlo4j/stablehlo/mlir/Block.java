package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;

/**
 * Operations in order, with arguments.
 *
 * @param arguments the values that whoever enters the block gives
 * @param operations the operations, each after its operands
 */
public record Block(ImmutableList<Value> arguments, ImmutableList<Operation> operations) {}
