package org.hlo4j.stablehlo;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.stablehlo.importer.ParallelImport;
import org.hlo4j.stablehlo.mlir.Operation;

/**
 * A self-checking program that runs functions on a grid of devices, {@code
 * interpreter.run_parallel}.
 *
 * @param before computes the operands of all devices as one tuple, in the order of the devices
 * @param programs the program of each device: a row for each replica, a column for each partition
 * @param infeed modules without arguments, each of which computes one entry of the infeed queue
 * @param after takes the results of all devices, in the order of the devices, and checks them
 */
public record ParallelProgram(
    HloModule before,
    ImmutableList<ImmutableList<HloModule>> programs,
    ImmutableList<HloModule> infeed,
    CheckedModule after) {
  /**
   * Splits a program that runs functions on a grid of devices into its parts.
   *
   * @param module a {@code builtin.module} with static shapes
   * @return the parts; empty if its entry has no {@code interpreter.run_parallel}
   * @throws org.hlo4j.hlo.HloException if a part cannot be imported
   */
  public static Optional<ParallelProgram> of(Operation module) {
    return ParallelImport.of(module);
  }
}
