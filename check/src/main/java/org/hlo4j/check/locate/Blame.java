package org.hlo4j.check.locate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.EvaluatorOptions;

/**
 * A search for the pass of a compiler after which a program computes something else. The module
 * that each pass left runs on the same inputs; its result is compared with that of the first
 * module, whose roundings a compiler may do in another way.
 *
 * @param steps what the module of each stage computes, in order
 */
public record Blame(ImmutableList<Step> steps) {
  private static final ImmutableSet<Kind> FAILURES = ImmutableSet.of(Kind.ENDED, Kind.LIMIT);

  /**
   * A module in a sequence of passes.
   *
   * @param name the pass that left it
   * @param module the module
   */
  public record Stage(String name, HloModule module) {}

  /**
   * What the module of a stage computes.
   *
   * @param stage the stage
   * @param comparison its result beside that of the first; empty if it was passed over
   * @param passedOver why it was passed over, as a custom call that only a device can run; empty if
   *     it was not
   * @param refused the kind of the error for which it was passed over; empty if there was none
   */
  public record Step(
      Stage stage, Optional<Comparison> comparison, String passedOver, Optional<Kind> refused) {
    /**
     * Returns whether the module does not come to an end as the first did: it ended the process
     * that ran it, or passed a limit, such as ten times the time of the first and two seconds.
     *
     * @return whether it has failed
     */
    public boolean hasFailed() {
      return refused.filter(FAILURES::contains).isPresent();
    }

    /**
     * Returns whether the comparison gives a verdict.
     *
     * @param verdict a verdict
     * @return whether it is that one
     */
    public boolean is(Verdict verdict) {
      return comparison.filter(each -> each.verdict() == verdict).isPresent();
    }
  }

  /**
   * Runs the modules of all stages. Those behind a partitioner run on several devices, each with
   * its slices of the arguments.
   *
   * @param stages the modules in the order of the passes, the original first
   * @param arguments those of the {@link Program} of the first
   * @param profile the roundings that passes may do in another way
   * @param system gives what runs the modules, with a deadline for those after the first
   * @param options the options of the runs, and of the reference, which says how far roundings
   *     reach
   * @param listener receives the name of each stage before it runs
   * @return what each computes
   * @throws HloException if there is no stage, or the first cannot run
   */
  public static Blame of(
      List<Stage> stages,
      ImmutableList<Literal> arguments,
      ToleranceProfile profile,
      Function<EvaluatorOptions, Runner> system,
      EvaluatorOptions options,
      Consumer<String> listener) {
    require(!stages.isEmpty(), "", "blame: stages got none, want at least one");
    Program first = new Program(stages.get(0).module(), arguments);
    long start = System.nanoTime();
    Literal want = system.apply(options).run(first);
    Runner runner = system.apply(Runner.withDeadlineSince(start, options));
    Function<Literal, Comparison> judge = Comparison.judge(first, want, profile, options);
    List<HloModule> modules = stages.stream().map(Stage::module).toList();
    Map<Literal, Comparison> known = new HashMap<>(); // most passes change no bit
    Function<HloModule, Comparison> comparison =
        module ->
            known.computeIfAbsent(
                module == first.module()
                    ? want
                    : StageProgram.of(modules, module, arguments).run(runner),
                judge);
    List<Step> steps = new ArrayList<>();
    for (Stage stage : stages) {
      listener.accept(stage.name());
      steps.add(step(stage, comparison, steps));
    }
    return new Blame(ImmutableList.copyOf(steps));
  }

  private static Step step(
      Stage stage, Function<HloModule, Comparison> comparison, List<Step> before) {
    if (before.stream().map(Step::refused).anyMatch(Optional.of(Kind.LIMIT)::equals)) {
      String why = "not run after a module that passed a limit";
      return new Step(stage, Optional.empty(), why, Optional.empty());
    }
    return Runner.answered(
        () -> new Step(stage, Optional.of(comparison.apply(stage.module())), "", Optional.empty()),
        no -> new Step(stage, Optional.empty(), no.summary(), Optional.of(no.kind())));
  }

  /**
   * Returns the first step with a verdict.
   *
   * @param verdict a verdict
   * @return the step; empty if no result has that verdict
   */
  public Optional<Step> first(Verdict verdict) {
    return steps.stream().filter(each -> each.is(verdict)).findFirst();
  }

  /**
   * Returns the first step that is wrong or has failed: its pass is guilty.
   *
   * @return the step; empty if there is none
   */
  public Optional<Step> guilty() {
    return steps.stream().filter(each -> each.hasFailed() || each.is(Verdict.WRONG)).findFirst();
  }

  /**
   * Returns the last step before another one that was not passed over.
   *
   * @param step a step, not the first
   * @return the step before
   */
  public Step before(Step step) {
    return steps.subList(0, steps.indexOf(step)).reversed().stream()
        .filter(each -> each.comparison().isPresent())
        .findFirst()
        .orElse(steps.get(0));
  }

  /**
   * Returns the steps between another one and the last before it that ran: their passes may have
   * made what the step shows.
   *
   * @param step a step
   * @return the steps, in order
   */
  public ImmutableList<Step> passedOver(Step step) {
    int at = steps.indexOf(step);
    return at == 0 ? ImmutableList.of() : steps.subList(steps.indexOf(before(step)) + 1, at);
  }

  /**
   * Returns the first instruction of a step whose value differs from that of its counterpart in the
   * step before although their operands agree.
   *
   * @param step a step, not the first
   * @param arguments those of the {@link Program} of the first
   * @param profile the roundings that passes may do in another way
   * @param options the options of the reference
   * @param listener receives a few words for people when the search goes on
   * @return the instruction; empty if no pair of instructions shows the difference, as those before
   *     and behind a partitioner, which are none
   * @throws HloException if the reference cannot run a module
   */
  public Optional<Located> locate(
      Step step,
      ImmutableList<Literal> arguments,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener) {
    List<HloModule> modules = steps.stream().map(each -> each.stage().module()).toList();
    StageProgram before = StageProgram.of(modules, before(step).stage().module(), arguments);
    StageProgram after = StageProgram.of(modules, step.stage().module(), arguments);
    return before.slices().isPresent() == after.slices().isPresent()
        ? Locator.pair(before.program(), after.program(), profile, options, listener)
        : Optional.empty();
  }
}
