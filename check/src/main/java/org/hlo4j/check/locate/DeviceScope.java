package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
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
    ImmutableList.Builder<DeviceScope> all = ImmutableList.builder();
    if (program.deviceCount() == 1) {
      all.add(new DeviceScope(ImmutableList.of(), entry.instructions(), ImmutableList.of()));
    } else {
      add(entry, ImmutableList.of(), new HashSet<>(), all);
    }
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
    Predicate<HloInstruction> isCollective = each -> each.op() instanceof Collective;
    List<HloInstruction> instructions = computation.instructions();
    for (HloInstruction each : instructions) {
      if (meetsOthers(each) && !isCollective.test(each)) {
        ImmutableList<String> inner = Locator.inside(within, each.name());
        each.called().forEach(called -> add(called, inner, done, all));
      }
    }
    all.add(
        new DeviceScope(
            within,
            instructions.stream().filter(each -> !meetsOthers(each)).toList(),
            instructions.stream().filter(isCollective).toList()));
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
