package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;

/**
 * A list of operations with arguments.
 *
 * @param arguments the values that are passed when the block is entered
 * @param operations the operations, each after its operands
 */
public record Block(ImmutableList<Value> arguments, ImmutableList<Operation> operations) {}
