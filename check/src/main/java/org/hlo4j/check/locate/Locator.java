package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.joining;

import com.google.common.collect.ImmutableList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
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
 * instruction is wrong alone, it may be so together with others, as in a fused loop: the system
 * then computes all values in one run, and an instruction is searched for whose value does not
 * follow from those of its operands. What is found is made as small as possible: other instructions
 * become parameters.
 */
public final class Locator {
  private static final int MAX_NAMES = 8;

  private final Trials trials;
  private final EvaluatorOptions options;
  private final Consumer<String> listener;
  private final Set<String> undecided = new LinkedHashSet<>();
  private final Set<String> refused = new LinkedHashSet<>();

  /**
   * Creates a search.
   *
   * @param system the system under test
   * @param profile the roundings that it may do in another way
   * @param options the options of the reference
   */
  public Locator(Runner system, ToleranceProfile profile, EvaluatorOptions options) {
    this(system, profile, options, work -> {});
  }

  /**
   * Creates a search that tells what it does.
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
    this.trials = new Trials(system, profile, options);
    this.options = options;
    this.listener = listener;
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
    return program.deviceCount() == 1 ? locate(program, ImmutableList.of()) : onDevices(program);
  }

  private Optional<Located> onDevices(Program program) {
    listener.accept("running the reference on all devices");
    ImmutableList<Values> all = Values.ofDevices(program, options);
    ImmutableList<DeviceScope> scopes = DeviceScope.of(program.module().entry());
    for (int device = 0; device < all.size(); device++) {
      for (DeviceScope scope : scopes) {
        Optional<Located> found =
            alone(scope.alone(), all.get(device), inside(scope.within(), "device " + device));
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return scopes.stream().flatMap(scope -> met(program, scope, all).stream()).findFirst();
  }

  /** Returns the first of some instructions that the system computes wrongly alone. */
  private Optional<Located> alone(
      List<HloInstruction> all, Values values, ImmutableList<String> within) {
    List<HloInstruction> tried = all.stream().filter(each -> isTried(each, values)).toList();
    int done = 0;
    for (List<HloInstruction> some : ProgramPart.chunks(tried, values::bytesAround)) {
      listener.accept(String.format(Locale.ROOT, "instruction %d of %d alone", done, tried.size()));
      Optional<HloInstruction> wrong = firstWrong(some, values);
      if (wrong.isPresent()) {
        return Optional.of(innermost(wrong.get(), values, within));
      }
      done += some.size();
    }
    return Optional.empty();
  }

  /** Returns the first collective that the system computes wrongly from the values of all. */
  private Optional<Located> met(
      Program program, DeviceScope scope, ImmutableList<Values> ofDevices) {
    for (HloInstruction each : scope.together()) {
      if (!ofDevices.stream().allMatch(values -> isTried(each, values))) {
        continue;
      }
      Program alone = ProgramPart.onDevices(each, program.module(), ofDevices);
      Literal want = Literal.tuple(ofDevices.stream().map(values -> values.of(each)).toList());
      if (verdict(each, trials.answer(alone), alone, want) == Verdict.WRONG) {
        return Optional.of(trials.located(each, scope.within(), ImmutableList.of(), alone, want));
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
    Trials trials = new Trials(Runner.of(Interpreter.reference(options)), profile, options);
    return Pairs.locate(before, after, trials, listener, ImmutableList.of());
  }

  private Optional<Located> locate(Program program, ImmutableList<String> within) {
    listener.accept("running the reference");
    Values values = Values.of(program, options);
    HloComputation entry = program.module().entry();
    return alone(entry.instructions(), values, within).or(() -> together(entry, values, within));
  }

  private Optional<Located> together(
      HloComputation entry, Values values, ImmutableList<String> within) {
    listener.accept("all instructions together");
    List<HloInstruction> tried =
        entry.instructions().stream().filter(each -> isTried(each, values)).toList();
    Set<HloInstruction> given = new HashSet<>(entry.parameters());
    entry.instructions().stream()
        .filter(each -> isReceived(each) && values.has(each))
        .forEach(given::add);
    WrongTogether together = new WrongTogether(trials, tried, given, values, listener);
    return together
        .inconsistent(within)
        .or(() ->
            isWrong(entry.root(), given, values) ? together.bisected(within) : Optional.empty());
  }

  private boolean isWrong(HloInstruction root, Set<HloInstruction> given, Values values) {
    return !isOfArrays(root.shape())
        || trials.isWrong(ProgramPart.of(List.of(root), given, values), values.of(root));
  }

  private static boolean isTried(HloInstruction instruction, Values values) {
    boolean isComputed =
        switch (instruction.op()) {
          case Parameter _, Constant _, Tuple _, GetTupleElement _ -> false;
          case CustomCall _ -> true;
          case External _ -> false;
          default -> true;
        };
    return isComputed
        && instruction.called().stream().noneMatch(Program::hasFeeds)
        && values.has(instruction)
        && isOfArrays(instruction.shape())
        && instruction.operands().stream()
            .allMatch(operand -> values.has(operand) && isOfArrays(operand.shape()));
  }

  private static boolean isOfArrays(Shape shape) {
    return shape instanceof Shape.Tuple tuple
        ? tuple.elements().stream().allMatch(Locator::isOfArrays)
        : shape instanceof Shape.Array;
  }

  /**
   * Returns whether an instruction has arrays that came with a token, as of infeed, or from a
   * computation with an infeed or outfeed: parts of programs have none.
   */
  private static boolean isReceived(HloInstruction instruction) {
    return isOfArrays(instruction.shape())
        && (instruction.called().stream().anyMatch(Program::hasFeeds)
            || instruction.operands().stream().anyMatch(each -> !isOfArrays(each.shape())));
  }

  /** Returns the first of some instructions that the system computes wrongly alone. */
  private Optional<HloInstruction> firstWrong(List<HloInstruction> some, Values values) {
    Trials.Answer all = trials.answer(ProgramPart.alone(some, values));
    if (all.value().isEmpty() && some.size() > 1) {
      int half = some.size() / 2;
      return firstWrong(some.subList(0, half), values)
          .or(() -> firstWrong(some.subList(half, some.size()), values));
    }
    for (int i = 0; i < some.size(); i++) {
      HloInstruction one = some.get(i);
      Trials.Answer answer = some.size() == 1 ? all : all.element(i);
      Program alone = ProgramPart.alone(List.of(one), values);
      if (verdict(one, answer, alone, values.of(one)) == Verdict.WRONG) {
        if (some.size() == 1 || firstWrong(List.of(one), values).isPresent()) {
          return Optional.of(one);
        }
        undecided.add(one.name());
      }
    }
    return Optional.empty();
  }

  /** Judges an answer, and notes what it leaves unknown. */
  private Verdict verdict(HloInstruction at, Trials.Answer answer, Program program, Literal want) {
    Verdict verdict = trials.verdict(answer, program, want);
    if (answer.isRefusal()) {
      refused.add(at.name());
    } else if (verdict != Verdict.WRONG && !verdict.isGood()) {
      undecided.add(at.name());
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
    return names.isEmpty()
        ? ""
        : String.format(
            Locale.ROOT,
            "%s: %d %s, %%%s%s",
            what,
            names.size(),
            names.size() == 1 ? "instruction" : "instructions",
            names.stream().limit(MAX_NAMES).collect(joining(", %")),
            names.size() > MAX_NAMES ? ", …" : "");
  }

  /** Returns a wrong instruction, or the one in a computation that it calls. */
  private Located innermost(HloInstruction wrong, Values values, ImmutableList<String> within) {
    Program alone = ProgramPart.alone(List.of(wrong), values);
    List<Literal> operands = wrong.operands().stream().map(values::of).toList();
    return Calls.search(
            wrong,
            operands,
            options,
            (number, arguments, where) -> {
              Program inner = Calls.program(wrong.called().get(number), arguments);
              return wrong.op() instanceof While && !isWrong(inner)
                  ? Optional.empty()
                  : locate(inner, inside(within, wrong.name() + where));
            })
        .orElseGet(
            () -> trials.located(wrong, within, ImmutableList.of(), alone, values.of(wrong)));
  }

  private boolean isWrong(Program program) {
    Literal want = program.run(Interpreter::reference, options);
    return trials.isWrong(ProgramPart.whole(program), want);
  }

  static ImmutableList<String> inside(ImmutableList<String> within, String inner) {
    return ImmutableList.<String>builder().addAll(within).add(inner).build();
  }
}
