package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.Set;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.PartitionId;
import org.hlo4j.hlo.op.ReplicaId;

/**
 * The instructions of a computation of a program for several devices that can be computed from the
 * values of their operands.
 *
 * @param within the callers that lead to the computation
 * @param alone those that one device can compute alone
 * @param together the collectives, which all devices have to compute together
 */
record DeviceScope(
    ImmutableList<String> within,
    ImmutableList<HloInstruction> alone,
    ImmutableList<HloInstruction> together) {
  /** The custom calls between whole arrays and those of the devices. */
  private static final ImmutableSet<String> BOUNDARIES =
      ImmutableSet.of(
          "xla.sdy.GlobalToLocalShape",
          "xla.sdy.LocalToGlobalShape",
          "SPMDFullToShardShape",
          "SPMDShardToFullShape");

  /** Returns those of the entry, and of what is called by instructions that others are met in. */
  static ImmutableList<DeviceScope> of(HloComputation entry) {
    ImmutableList.Builder<DeviceScope> all = ImmutableList.builder();
    add(entry, ImmutableList.of(), new HashSet<>(), all);
    return all.build();
  }

  private static void add(
      HloComputation computation,
      ImmutableList<String> within,
      Set<HloComputation> done,
      ImmutableList.Builder<DeviceScope> all) {
    if (!done.add(computation)) {
      return;
    }
    for (HloInstruction each : computation.instructions()) {
      if (meetsOthers(each) && !(each.op() instanceof Collective)) {
        ImmutableList<String> inner = Locator.inside(within, each.name());
        each.called().forEach(called -> add(called, inner, done, all));
      }
    }
    all.add(
        new DeviceScope(
            within,
            computation.instructions().stream()
                .filter(each -> !meetsOthers(each))
                .collect(toImmutableList()),
            computation.instructions().stream()
                .filter(each -> each.op() instanceof Collective)
                .collect(toImmutableList())));
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
