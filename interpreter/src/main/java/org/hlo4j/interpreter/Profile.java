package org.hlo4j.interpreter;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;

/**
 * Where the time of a program goes, as measured by {@link Executable#profile}: the times of its
 * steps. A step is an instruction of the module that is run, after fusion. Its time is its own,
 * without that of the computations that it calls step by step, whose steps have rows of their own;
 * so the times of all steps sum to the time of the run.
 *
 * @param module the module that is run: the given one after all passes
 * @param runs the number of runs that were measured
 * @param steps the steps that take time, in the order in which they are run; parameters, constants,
 *     tuples and their elements are left out
 */
public record Profile(HloModule module, int runs, ImmutableList<Step> steps) {
  /**
   * One step.
   *
   * @param computation the computation
   * @param instruction the instruction
   * @param opcode the opcode; of a fusion also the op inside that has most operations, as in {@code
   *     fusion of dot}
   * @param kernel the kernel that computes it, or why there is none, as in {@link
   *     Executable#explain}; a loop that runs {@code step by step} has its steps in rows of their
   *     own
   * @param calls how often a run computes it
   * @param nanos the time in a run, in nanoseconds: the median of the runs
   * @param flops the arithmetic operations in a run, as {@link CostAnalysis} counts them, where a
   *     transcendental function counts as one; 0 for a call of steps with rows of their own, and
   *     for a loop whose number of iterations is not known
   * @param bytes the bytes of its operands and its result, in a run
   */
  public record Step(
      HloComputation computation,
      HloInstruction instruction,
      String opcode,
      String kernel,
      double calls,
      double nanos,
      double flops,
      double bytes) {
    /**
     * Returns the shape of the result.
     *
     * @return the shape, without layouts
     */
    public Shape shape() {
      return instruction.shape().withoutLayout();
    }
  }

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
   * A part of the user's program, with the parts in it.
   *
   * @param sum all its steps together, under its name, such as {@code layer1}
   * @param scopes the parts in it, the slowest first
   */
  public record Scope(Group sum, ImmutableList<Scope> scopes) {}

  /**
   * Returns the scopes of the user's program as a tree: those in the {@code op_name} of each step,
   * such as {@code jit(f)} and {@code layer1} of {@code jit(f)/layer1/add}.
   *
   * @return the scope without a name that has all steps
   */
  public Scope scopes() {
    return scope("", this, 0);
  }

  private static Scope scope(String name, Profile profile, int depth) {
    Map<String, List<Step>> inner = new LinkedHashMap<>();
    for (Step step : profile.steps) {
      List<String> names = step.instruction.metadata().scope();
      if (names.size() > depth) {
        inner.computeIfAbsent(names.get(depth), any -> new ArrayList<>()).add(step);
      }
    }
    return new Scope(
        profile.groups(any -> name).stream().findFirst().orElse(new Group(name, 0, 0, 0, 0)),
        inner.entrySet().stream()
            .map(entry -> scope(entry.getKey(), profile.of(entry.getValue()), depth + 1))
            .sorted(Comparator.comparingDouble((Scope one) -> one.sum.nanos).reversed())
            .collect(toImmutableList()));
  }

  private Profile of(List<Step> some) {
    return new Profile(module, runs, ImmutableList.copyOf(some));
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
                Locale.ROOT, "%.3f ms a run, the median of %s runs\n", nanos() / 1e6, runs));
    double all = Math.max(1, nanos());
    steps.stream()
        .sorted(Comparator.comparingDouble(Step::nanos).reversed())
        .forEach(step ->
            text.append(
                String.format(
                    Locale.ROOT,
                    "%5.1f %% %11.1f µs  %s %s  %s\n",
                    100 * step.nanos / all,
                    step.nanos / 1000,
                    step.instruction.name(),
                    step.shape(),
                    step.kernel)));
    return text.toString();
  }
}
