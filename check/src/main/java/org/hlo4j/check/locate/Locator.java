package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A search for the instruction at which a system computes something else than the reference. The
 * reference runs the program and gives the value of every instruction; the system computes
 * instructions, many in one run, from the values of their operands. Where the result of a while,
 * call, conditional or fusion is wrong, the search goes on in the computation that it calls. If no
 * instruction is wrong alone but the result is, it may be so together with others, as in a fused
 * loop: an instruction is searched for that is wrong when all before it are computed with it. What
 * is found is made as small as possible: other instructions become parameters.
 */
public final class Locator {
  private static final int MAX_NAMES = 8;

  private final Trials trials;
  private final Set<String> undecided = new LinkedHashSet<>();
  private final Set<String> refused = new LinkedHashSet<>();

  /**
   * The first instruction whose value differs, or on which the system breaks, although its operands
   * agree.
   *
   * @param instruction the instruction
   * @param within where it is: the instructions that call its computation, outermost first, such as
   *     {@code while.3, iteration 2, body}
   * @param together the instructions that must be computed with it for the difference to show;
   *     empty if it differs alone
   * @param program the smallest program that was found to show it
   * @param comparison the comparison of the results of that program; empty if the system broke
   * @param failure how the system broke; empty if it computed a value
   * @param counterpart what it is compared with, if that is not the reference's value
   */
  public record Located(
      HloInstruction instruction,
      ImmutableList<String> within,
      ImmutableList<HloInstruction> together,
      Program program,
      Optional<Comparison> comparison,
      String failure,
      Optional<Counterpart> counterpart) {
    /**
     * The instruction of another program that should compute the same.
     *
     * @param instruction the instruction
     * @param program the program that computes it from the same values
     */
    public record Counterpart(HloInstruction instruction, Program program) {}
  }

  /**
   * Creates a search.
   *
   * @param system the system under test
   * @param profile the roundings that it may do in another way
   * @param options the options of the reference
   * @param listener receives a few words for people when the search goes on
   */
  public Locator(
      Runner system,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener) {
    this.trials = new Trials(system, profile, options, listener);
  }

  /**
   * Searches a program.
   *
   * @param program the program; of one for several devices, instructions are computed alone on the
   *     values of each device, and collectives alone by all of them
   * @return the first instruction whose value is wrong; empty if there is none
   * @throws HloException if the reference cannot run the program
   */
  public Optional<Located> locate(Program program) {
    return locate(program, ImmutableList.of());
  }

  private Optional<Located> locate(Program program, ImmutableList<String> within) {
    HloComputation entry = program.module().entry();
    boolean isOne = program.deviceCount() == 1;
    trials.listener().accept("running the reference" + (isOne ? "" : " on all devices"));
    ImmutableList<Values> all =
        Values.of(
            program,
            isOne ? ImmutableSet.copyOf(entry.instructions())::contains : at -> true,
            trials.options());
    ImmutableList<DeviceScope> scopes = DeviceScope.of(program);
    for (int device = 0; device < all.size(); device++) {
      for (DeviceScope scope : scopes) {
        ImmutableList<String> inner = isOne ? within : inside(scope.within(), "device " + device);
        Optional<Located> found = alone(scope.alone(), all.get(device), inner);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return isOne
        ? together(entry, all.get(0), within)
        : scopes.stream().flatMap(scope -> met(program, scope, all).stream()).findFirst();
  }

  /** Returns the first of some instructions that the system computes wrongly alone. */
  private Optional<Located> alone(
      List<HloInstruction> all, Values values, ImmutableList<String> within) {
    Given given = Given.all(values);
    return trials
        .differing(
            all.stream().filter(each -> isTried(each, values)).toList(),
            given,
            "instruction %d of %d alone")
        .filter(each ->
            verdict(each, () -> given.part(each.at()), values.of(each.at())) == Verdict.WRONG)
        .map(Trials.Attempt::at)
        .filter(each ->
            trials.isWrong(given.part(each), values.of(each)) || !undecided.add(each.name()))
        .findFirst()
        .map(each -> innermost(each, given, within));
  }

  /** Returns the first collective that the system computes wrongly from the values of all. */
  private Optional<Located> met(
      Program program, DeviceScope scope, ImmutableList<Values> ofDevices) {
    for (HloInstruction each : scope.together()) {
      if (ofDevices.stream().allMatch(values -> isTried(each, values))) {
        Program alone = Given.ofDevices(each, program.module(), ofDevices);
        Literal want = Literal.tuple(ofDevices.stream().map(values -> values.of(each)).toList());
        if (verdict(new Trials.Attempt(each, trials.answer(alone)), () -> alone, want)
            == Verdict.WRONG) {
          return Optional.of(trials.located(each, scope.within(), ImmutableList.of(), alone, want));
        }
      }
    }
    return Optional.empty();
  }

  /**
   * Searches for the instructions at which two programs that should compute the same part: pairs as
   * {@link org.hlo4j.check.diff.ModuleDiff} finds them, which the reference computes from the
   * values of the first program.
   *
   * @param before a program
   * @param after the same, changed by a pass
   * @param profile the roundings that the pass may do in another way
   * @param options the options of the reference
   * @param listener receives a few words for people when the search goes on
   * @return the instruction of the second program, and its counterpart in the first; those inside
   *     of fusions have names that begin with that of the fusion, as in {@code fusion.3..add.1};
   *     empty if there is none
   * @throws HloException if the reference cannot run a program
   */
  public static Optional<Located> pair(
      Program before,
      Program after,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener) {
    Runner reference = program -> program.run(Interpreter::reference, options);
    return Pairs.locate(
        before, after, new Trials(reference, profile, options, listener), ImmutableList.of());
  }

  private Optional<Located> together(
      HloComputation entry, Values values, ImmutableList<String> within) {
    trials.listener().accept("all instructions together");
    List<HloInstruction> tried =
        entry.instructions().stream().filter(each -> isTried(each, values)).toList();
    Set<HloInstruction> given = new HashSet<>(entry.parameters());
    entry.instructions().stream()
        .filter(each -> isReceived(each) && values.has(each))
        .forEach(given::add);
    WrongTogether together = new WrongTogether(trials, tried, new Given(values, given), within);
    return Values.isOfArrays(entry.root().shape()) && !together.isWrong(entry.root())
        ? Optional.empty()
        : together.bisected();
  }

  private static boolean isTried(HloInstruction instruction, Values values) {
    boolean isComputed =
        switch (instruction.op()) {
          case Parameter _, Constant _, Tuple _, GetTupleElement _ -> false;
          case External call -> call instanceof CustomCall;
          default -> true;
        };
    return isComputed
        && instruction.called().stream().noneMatch(Program::hasFeeds)
        && values.has(instruction)
        && Values.isOfArrays(instruction.shape())
        && instruction.operands().stream()
            .allMatch(operand -> values.has(operand) && Values.isOfArrays(operand.shape()));
  }

  /**
   * Returns whether an instruction has arrays that came with a token, as of infeed, or from a
   * computation with an infeed or outfeed: parts of programs have none.
   */
  private static boolean isReceived(HloInstruction instruction) {
    return Values.isOfArrays(instruction.shape())
        && (instruction.called().stream().anyMatch(Program::hasFeeds)
            || instruction.operands().stream().anyMatch(each -> !Values.isOfArrays(each.shape())));
  }

  /** Judges an answer, and notes what it leaves unknown. */
  private Verdict verdict(Trials.Attempt attempt, Supplier<Program> program, Literal want) {
    Verdict verdict = trials.verdict(attempt.answer(), program, want);
    if (attempt.answer().isRefusal()) {
      refused.add(attempt.at().name());
    } else if (verdict != Verdict.WRONG && !verdict.isGood()) {
      undecided.add(attempt.at().name());
    }
    return verdict;
  }

  /**
   * Returns what is not known after the search.
   *
   * @return lines for people: which instructions the system refused to compute alone, and which it
   *     computes to other values of which it cannot be said whether they are wrong
   */
  public ImmutableList<String> unknown() {
    return Stream.of(line("refused by the system", refused), line("undecided", undecided))
        .filter(each -> !each.isEmpty())
        .collect(toImmutableList());
  }

  private static String line(String what, Set<String> names) {
    String noun = names.size() == 1 ? " instruction" : " instructions";
    String first = names.stream().limit(MAX_NAMES).collect(joining(", %"));
    String more = names.size() > MAX_NAMES ? ", …" : "";
    return names.isEmpty() ? "" : what + ": " + names.size() + noun + ", %" + first + more;
  }

  /** Returns a wrong instruction, or the one in a computation that it calls. */
  private Located innermost(HloInstruction wrong, Given given, ImmutableList<String> within) {
    List<Literal> operands = wrong.operands().stream().map(given.values()::of).toList();
    return CalledRun.of(wrong, operands, trials.options())
        .filter(run -> !(wrong.op() instanceof While) || isWrong(run.program(wrong)))
        .flatMap(
            run -> locate(run.program(wrong), inside(within, wrong.name() + run.where())).stream())
        .findFirst()
        .orElseGet(() ->
            trials.located(
                wrong, within, ImmutableList.of(), given.part(wrong), given.values().of(wrong)));
  }

  private boolean isWrong(Program program) {
    Literal want = program.run(Interpreter::reference, trials.options());
    return trials.isWrong(Given.whole(program), want);
  }

  static ImmutableList<String> inside(ImmutableList<String> within, String inner) {
    return ImmutableList.<String>builder().addAll(within).add(inner).build();
  }
}
