package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.Shape;

/**
 * Where the time of a program goes, as measured by {@link Executable#profile}: the times of its
 * steps. A step is an instruction of the module that is run, after fusion. Its time is its own,
 * without that of the computations that it calls step by step, whose steps have rows of their own;
 * so the times of all steps sum to the time of the run.
 *
 * @param runs the number of runs that were measured
 * @param steps the steps that take time, in the order in which they are run; parameters, constants,
 *     tuples and their elements are left out
 */
public record Profile(int runs, ImmutableList<Step> steps) {
  /**
   * One step.
   *
   * @param computation the name of the computation
   * @param instruction the name of the instruction
   * @param opcode the opcode, such as {@code fusion}
   * @param scope the {@code op_name} of its metadata, such as {@code jit(f)/layer_1/dot_general};
   *     empty if there is none
   * @param shape the shape of its result
   * @param kernel the kernel that computes it, as in {@link Executable#explain}; {@code reference}
   *     if there is none
   * @param calls how often a run computes it
   * @param nanos the time in a run, in nanoseconds: the median of the runs
   * @param flops the arithmetic operations in a run, as {@link CostAnalysis} counts them; 0 for a
   *     loop or a call
   * @param bytes the bytes of its operands and its result, in a run
   */
  public record Step(
      String computation,
      String instruction,
      String opcode,
      String scope,
      Shape shape,
      String kernel,
      double calls,
      double nanos,
      double flops,
      double bytes) {}

  /**
   * Some steps together.
   *
   * @param name what they have in common
   * @param steps their number
   * @param nanos the sum of their times
   * @param flops the sum of their operations
   * @param bytes the sum of their bytes
   */
  public record Group(String name, int steps, double nanos, double flops, double bytes) {}

  /**
   * Returns the time of a run: the sum of the times of its steps.
   *
   * @return the time, in nanoseconds
   */
  public double nanos() {
    return steps.stream().mapToDouble(Step::nanos).sum();
  }

  /**
   * Returns the steps in groups, the slowest group first.
   *
   * @param name gives the name of the group of a step
   * @return the groups
   */
  public ImmutableList<Group> groups(Function<Step, String> name) {
    Map<String, Group> groups = new LinkedHashMap<>();
    for (Step step : steps) {
      groups.merge(
          name.apply(step),
          new Group(name.apply(step), 1, step.nanos, step.flops, step.bytes),
          Profile::sum);
    }
    return groups.values().stream()
        .sorted(Comparator.comparingDouble(Group::nanos).reversed())
        .collect(toImmutableList());
  }

  private static Group sum(Group a, Group b) {
    return new Group(
        a.name, a.steps + b.steps, a.nanos + b.nanos, a.flops + b.flops, a.bytes + b.bytes);
  }

  /**
   * Returns the time, the share and the kernel of each step, the slowest first.
   *
   * @return a line for each step
   */
  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT, "%.3f ms a run, the median of %s runs%n", nanos() / 1e6, runs));
    double all = Math.max(1, nanos());
    steps.stream()
        .sorted(Comparator.comparingDouble(Step::nanos).reversed())
        .forEach(step ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "%5.1f %% %11.1f µs  %s %s  %s%n",
                    100 * step.nanos / all,
                    step.nanos / 1000,
                    step.instruction,
                    step.shape,
                    step.kernel)));
    return text.toString();
  }
}
