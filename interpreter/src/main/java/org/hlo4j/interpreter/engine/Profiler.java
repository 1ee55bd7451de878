package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.CostAnalysis;
import org.hlo4j.interpreter.Profile;

/** The times of the steps of some runs of a program, by one thread. */
final class Profiler {
  /** The times of a computation's steps in each run. */
  private static final class Times {
    final HloComputation computation;
    final List<long[]> runs = new ArrayList<>();
    final long[] calls;
    long[] nanos;

    Times(HloComputation computation, int steps) {
      this.computation = computation;
      this.calls = new long[steps];
      this.nanos = new long[steps];
    }
  }

  private final ModuleCost costs = new ModuleCost(CostAnalysis::tripCount);
  private final Map<Schedule, Times> times = new LinkedHashMap<>();
  private int runs;

  /** The time of the steps that the step under way has called so far. */
  private long nested;

  /** Begins the call of a computation. */
  void begin(Schedule schedule, HloComputation computation) {
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

  Profile profile(HloModule module) {
    ImmutableList.Builder<Profile.Step> steps = ImmutableList.builder();
    times.forEach((schedule, each) -> {
      for (int slot = 0; slot < schedule.size(); slot++) {
        if (each.calls[slot] > 0 && !isForwarding(schedule, slot)) {
          steps.add(step(schedule, each, slot));
        }
      }
    });
    return new Profile(module, runs, steps.build());
  }

  /** Returns whether a step only hands values on, which is not worth a row. */
  private static boolean isForwarding(Schedule schedule, int slot) {
    HloInstruction instruction = schedule.instruction(slot);
    return schedule.kernel(slot) == null
        && instruction.op() instanceof ForwardingOp
        && instruction.called().isEmpty();
  }

  private Profile.Step step(Schedule schedule, Times each, int slot) {
    HloInstruction instruction = schedule.instruction(slot);
    double[] sorted = new double[runs]; // 0 in runs before the computation was first called
    for (int run = 0; run < each.runs.size(); run++) {
      sorted[run] = each.runs.get(run)[slot];
    }
    Arrays.sort(sorted);
    double calls = (double) each.calls[slot] / runs;
    boolean callsSteps =
        schedule.kernel(slot) == null
            && OpTraits.of(instruction.op()).family() == OpTraits.Family.CONTROL
            && !(instruction.op() instanceof Fusion);
    ModuleCost.Cost cost =
        callsSteps || !isCounted(instruction) ? ModuleCost.Cost.NONE : costs.of(instruction);
    return new Profile.Step(
        each.computation,
        instruction,
        opcode(instruction),
        Explanation.kernel(schedule, slot),
        calls,
        (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0,
        calls * operations(cost),
        calls * cost.bytes());
  }

  private static double operations(ModuleCost.Cost cost) {
    return cost.flops() + cost.transcendentals();
  }

  /** Returns whether all sizes, and the numbers of iterations of loops inside, are known. */
  private static boolean isCounted(HloInstruction instruction) {
    boolean isLoopCounted =
        !(instruction.op() instanceof While) || CostAnalysis.tripCount(instruction).isPresent();
    return isLoopCounted
        && Stream.concat(Stream.of(instruction), instruction.operands().stream())
            .flatMap(one -> one.shape().arrays().stream())
            .noneMatch(Shape.Array::hasUnbounded)
        && instruction.called().stream()
            .flatMap(called -> called.instructions().stream())
            .allMatch(Profiler::isCounted);
  }

  /** Returns the opcode; of a fusion also the op inside that has most operations. */
  private String opcode(HloInstruction instruction) {
    return instruction.op() instanceof Fusion && isCounted(instruction)
        ? instruction.called().get(0).instructions().stream()
            .max(Comparator.comparingDouble(inside -> operations(costs.of(inside))))
            .map(inside -> "fusion of " + opcode(inside))
            .orElseThrow()
        : instruction.op().opcode();
  }
}
