package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/** The times of the steps of some runs of a program, by one thread. */
final class Profiler {
  /** The times of a computation's steps in each run. */
  private static final class Times {
    final String computation;
    final List<long[]> runs = new ArrayList<>();
    final long[] calls;
    long[] nanos;

    Times(String computation, int steps) {
      this.computation = computation;
      this.calls = new long[steps];
      this.nanos = new long[steps];
    }
  }

  private final Map<Schedule, Times> times = new LinkedHashMap<>();
  private int runs;

  /** The time of the steps that the step under way has called so far. */
  private long nested;

  /** Begins the call of a computation. */
  void begin(Schedule schedule, String computation) {
    times.computeIfAbsent(schedule, any -> new Times(computation, schedule.size()));
  }

  /** Computes a step and adds its time. */
  Literal timed(Schedule schedule, int slot, Supplier<Literal> step) {
    long before = nested;
    nested = 0;
    long start = System.nanoTime();
    Literal value = step.get();
    long took = System.nanoTime() - start;
    Times all = Objects.requireNonNull(times.get(schedule));
    all.nanos[slot] += took - nested;
    all.calls[slot]++;
    nested = before + took;
    return value;
  }

  void endRun() {
    runs++;
    for (Times each : times.values()) {
      each.runs.add(each.nanos);
      each.nanos = new long[each.nanos.length];
    }
  }

  Profile profile() {
    ModuleCost costs = new ModuleCost(instruction -> OptionalLong.empty());
    ImmutableList.Builder<Profile.Step> steps = ImmutableList.builder();
    times.forEach((schedule, each) -> {
      for (int slot = 0; slot < schedule.size(); slot++) {
        if (each.calls[slot] > 0 && !isForwarding(schedule, slot)) {
          steps.add(step(schedule, each, slot, costs));
        }
      }
    });
    return new Profile(runs, steps.build());
  }

  /** Returns whether a step only hands values on, which is not worth a row. */
  private static boolean isForwarding(Schedule schedule, int slot) {
    HloInstruction instruction = schedule.instruction(slot);
    return schedule.kernel(slot) == null
        && instruction.op() instanceof ForwardingOp
        && instruction.called().isEmpty();
  }

  private Profile.Step step(Schedule schedule, Times each, int slot, ModuleCost costs) {
    HloInstruction instruction = schedule.instruction(slot);
    @Nullable Kernel kernel = schedule.kernel(slot);
    double[] sorted = each.runs.stream().mapToDouble(run -> run[slot]).sorted().toArray();
    double calls = (double) each.calls[slot] / runs;
    boolean isControl =
        OpTraits.of(instruction.op()).family() == OpTraits.Family.CONTROL
            && !(instruction.op() instanceof Fusion);
    ModuleCost.Cost cost = isControl ? ModuleCost.Cost.NONE : costs.of(instruction);
    return new Profile.Step(
        each.computation,
        instruction.name(),
        instruction.op().opcode(),
        instruction.metadata().opName(),
        instruction.shape().withoutLayout(),
        kernel == null ? "reference" : kernel.describe(),
        calls,
        (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0,
        calls * cost.flops(),
        calls * cost.bytes());
  }
}
