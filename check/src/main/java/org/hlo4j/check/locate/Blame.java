package org.hlo4j.check.locate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.hlo.HloException;
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
   * @param hasEnded whether it was passed over since its module ended the process that ran it
   */
  public record Step(
      Stage stage, Optional<Comparison> comparison, String passedOver, boolean hasEnded) {
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
   * Runs the modules of all stages.
   *
   * @param stages the modules in the order of the passes, the original first
   * @param arguments one literal for each parameter of the entry, in order
   * @param profile the roundings that passes may do in another way
   * @param runner runs the modules
   * @param options the options of the reference, which says how far roundings reach
   * @param listener receives the name of each stage before it runs
   * @return what each computes
   * @throws HloException if there is no stage, or the first cannot run
   */
  public static Blame of(
      List<Stage> stages,
      ImmutableList<Literal> arguments,
      ToleranceProfile profile,
      Runner runner,
      EvaluatorOptions options,
      Consumer<String> listener) {
    require(!stages.isEmpty(), "", "blame: stages got none, want at least one");
    Program first = new Program(stages.get(0).module(), arguments);
    Literal want = runner.run(first);
    Function<Literal, Comparison> judge =
        Comparison.judge(first.module(), want, profile, options, Comparison.Reference.of(first));
    Map<Literal, Comparison> known = new HashMap<>(); // most passes change no bit
    Function<HloModule, Comparison> comparison =
        module ->
            known.computeIfAbsent(
                module == first.module() ? want : runner.run(first.with(module, first.arguments())),
                judge);
    ImmutableList.Builder<Step> steps = ImmutableList.builder();
    for (Stage stage : stages) {
      listener.accept(stage.name());
      steps.add(step(stage, comparison));
    }
    return new Blame(steps.build());
  }

  private static Step step(Stage stage, Function<HloModule, Comparison> comparison) {
    try {
      return new Step(stage, Optional.of(comparison.apply(stage.module())), "", false);
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      boolean hasEnded = refusal.kind() == HloException.Kind.ENDED;
      return new Step(stage, Optional.empty(), refusal.summary(), hasEnded);
    }
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
   * @param arguments one literal for each parameter of the entry, in order
   * @param profile the roundings that passes may do in another way
   * @param options the options of the reference
   * @param listener receives a few words for people when the search goes on
   * @return the instruction; empty if no pair of instructions shows the difference
   * @throws HloException if the reference cannot run a module
   */
  public Optional<Located> locate(
      Step step,
      ImmutableList<Literal> arguments,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener) {
    return Locator.pair(
        new Program(before(step).stage().module(), arguments),
        new Program(step.stage().module(), arguments),
        profile,
        options,
        listener);
  }
}
