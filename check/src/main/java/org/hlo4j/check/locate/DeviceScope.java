package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;

/**
 * The instructions of a computation of a program that can be computed from the values of their
 * operands.
 *
 * @param within the callers that lead to the computation
 * @param alone those that one device can compute alone
 * @param together the collectives, which several devices have to compute together
 */
record DeviceScope(
    ImmutableList<String> within, List<HloInstruction> alone, List<HloInstruction> together) {
  /** The custom calls between whole arrays and those of the devices. */
  private static final ImmutableSet<String> BOUNDARIES =
      ImmutableSet.of(
          "xla.sdy.GlobalToLocalShape",
          "xla.sdy.LocalToGlobalShape",
          "SPMDFullToShardShape",
          "SPMDShardToFullShape");

  /**
   * Returns those of the entry, and for several devices of what is called by instructions that
   * others are met in.
   */
  static ImmutableList<DeviceScope> of(Program program) {
    HloComputation entry = program.module().entry();
    return program.deviceCount() == 1
        ? ImmutableList.of(
            new DeviceScope(ImmutableList.of(), entry.instructions(), ImmutableList.of()))
        : inside(entry, ImmutableList.of()).collect(toImmutableList());
  }

  private static Stream<DeviceScope> inside(
      HloComputation computation, ImmutableList<String> within) {
    List<HloInstruction> alone = new ArrayList<>();
    List<HloInstruction> together = new ArrayList<>();
    Stream<DeviceScope> called = Stream.of();
    for (HloInstruction each : computation.instructions()) {
      if (each.op() instanceof Collective) {
        together.add(each);
      } else if (meetsOthers(each)) {
        ImmutableList<String> inner = Locator.inside(within, each.name());
        called = Stream.concat(called, each.called().stream().flatMap(it -> inside(it, inner)));
      } else {
        alone.add(each);
      }
    }
    return Stream.concat(called, Stream.of(new DeviceScope(within, alone, together)));
  }

  /** Returns whether a program has an instruction that needs to know of other devices. */
  static boolean meetOthers(HloModule module) {
    return module.instructions().anyMatch(DeviceScope::meetsOthers);
  }

  /** Returns whether an instruction, or one that it calls, needs to know of other devices. */
  private static boolean meetsOthers(HloInstruction instruction) {
    return switch (instruction.op()) {
      case Collective _, CollectiveStart _, PartitionId _, ReplicaId _ -> true;
      case CustomCall call -> BOUNDARIES.contains(call.customCallTarget());
      default ->
          instruction.called().stream()
              .flatMap(called -> called.instructions().stream())
              .anyMatch(DeviceScope::meetsOthers);
    };
  }
}
