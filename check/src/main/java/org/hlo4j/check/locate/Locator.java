package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.external.ExternalRunner;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A search for the instruction at which a system computes something else than the reference. The
 * reference runs the program and gives the value of every instruction; the system computes each
 * instruction alone, from the values of its operands. Where the result of a while, call,
 * conditional or fusion is wrong, the search goes on in the computation that it calls. If no
 * instruction is wrong alone, it may be so together with others, as in a fused loop: the first
 * instruction whose program is wrong is searched for, then as many of the others as possible become
 * parameters.
 */
public final class Locator {
  /** How many iterations of a loop are searched. */
  private static final int MAX_ITERATIONS = 1_000;

  private static final int MAX_PREFIXES = 200;

  private final Runner system;
  private final ToleranceProfile profile;
  private final EvaluatorOptions options;
  private final int batch;
  private int refusals;

  /**
   * Creates a search.
   *
   * @param system the system under test
   * @param profile the roundings that it may do in another way
   * @param options the options of the reference
   */
  public Locator(Runner system, ToleranceProfile profile, EvaluatorOptions options) {
    this.system = system;
    this.profile = profile;
    this.options = options;
    this.batch = system instanceof ExternalRunner ? 32 : 1;
  }

  /**
   * Searches a program.
   *
   * @param program the program, for one device
   * @return the first instruction whose value is wrong; empty if there is none
   * @throws HloException if the reference cannot run the program
   */
  public Optional<Located> locate(Program program) {
    return locate(program, ImmutableList.of());
  }

  private Optional<Located> locate(Program program, ImmutableList<String> within) {
    Values values = values(program);
    List<HloInstruction> tried =
        program.module().entry().instructions().stream()
            .filter(instruction -> isTried(instruction, values))
            .toList();
    for (List<HloInstruction> some : Lists.partition(tried, batch)) {
      Optional<HloInstruction> wrong = firstWrong(some, values);
      if (wrong.isPresent()) {
        return Optional.of(innermost(wrong.get(), values, within));
      }
    }
    return together(program.module().entry(), tried, values, within);
  }

  private Values values(Program program) {
    Values values = new Values();
    Set<HloInstruction> wanted = new HashSet<>(program.module().entry().instructions());
    EvaluatorOptions listening =
        options.toBuilder()
            .valueListener((device, at, value) -> {
              if (wanted.contains(at)) {
                values.put(at, value);
              }
            })
            .build();
    program.run(Interpreter::reference, listening);
    for (HloInstruction parameter : program.module().entry().parameters()) {
      int number = ((Parameter) parameter.op()).number();
      values.put(parameter, program.arguments().get(number));
    }
    for (HloInstruction instruction : program.module().entry().instructions()) {
      if (instruction.op() instanceof Constant constant) {
        values.put(instruction, constant.literal());
      }
    }
    return values;
  }

  private static boolean isTried(HloInstruction instruction, Values values) {
    boolean isGiven =
        instruction.op() instanceof Parameter
            || instruction.op() instanceof Constant
            || instruction.op() instanceof Tuple
            || instruction.op() instanceof GetTupleElement;
    boolean isOwn =
        instruction.op() instanceof External && !(instruction.op() instanceof CustomCall);
    return !isGiven
        && !isOwn
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
    Optional<Literal> all = some.size() > 1 ? allAtOnce(some, values) : Optional.empty();
    for (int i = 0; i < some.size(); i++) {
      Program alone = ProgramPart.of(some.get(i), values);
      boolean isWrong =
          all.isPresent()
              ? verdict(alone, all.get().element(i), values.of(some.get(i))) == Verdict.WRONG
              : isWrong(alone, values.of(some.get(i)));
      if (isWrong) {
        return Optional.of(some.get(i));
      }
    }
    return Optional.empty();
  }

  /** Runs some instructions as one program; empty if the system refuses it. */
  private Optional<Literal> allAtOnce(List<HloInstruction> some, Values values) {
    ProgramPart part = new ProgramPart(values);
    for (int i = 0; i < some.size(); i++) {
      part.add(some.get(i), Set.copyOf(some.get(i).operands()), "p" + i + ".");
    }
    return answer(part.program()).value();
  }

  /** What the system makes of a program: a value, a refusal, or neither. */
  private record Answer(Optional<Literal> value, String failure) {
    boolean isRefusal() {
      return value.isEmpty() && failure.isEmpty();
    }
  }

  private Answer answer(Program program) {
    try {
      return new Answer(Optional.of(system.run(program)), "");
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      refusals++;
      return new Answer(Optional.empty(), "");
    } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError broken) {
      return new Answer(Optional.empty(), "it threw " + broken);
    }
  }

  /**
   * Returns how many parts of programs the system has refused. These are not wrong, and nothing is
   * known of them.
   *
   * @return the number, of all searches
   */
  public int refusals() {
    return refusals;
  }

  /** A refusal is no wrong value. */
  private boolean isWrong(Program program, Literal want) {
    Answer answer = answer(program);
    return answer
        .value()
        .map(got -> verdict(program, got, want) == Verdict.WRONG)
        .orElse(!answer.isRefusal());
  }

  private Verdict verdict(Program program, Literal got, Literal want) {
    return Comparison.of(program, got, want, profile, options).verdict();
  }

  private Located located(
      HloInstruction instruction,
      ImmutableList<String> within,
      ImmutableList<HloInstruction> together,
      Program program,
      Literal want) {
    Answer answer = answer(program);
    return new Located(
        instruction,
        within,
        together,
        program,
        answer.value().map(got -> Comparison.of(program, got, want, profile, options)),
        answer.failure());
  }

  /** Returns a wrong instruction, or the one in a computation that it calls. */
  private Located innermost(HloInstruction wrong, Values values, ImmutableList<String> within) {
    Program alone = ProgramPart.of(wrong, values);
    return called(wrong, values, within)
        .orElseGet(() -> located(wrong, within, ImmutableList.of(), alone, values.of(wrong)));
  }

  private Optional<Located> called(
      HloInstruction caller, Values values, ImmutableList<String> within) {
    List<Literal> operands = caller.operands().stream().map(values::of).toList();
    return switch (caller.op()) {
      case While _ -> iterated(caller, operands.get(0), within);
      case Call _, Fusion _ ->
          locate(program(caller.called().get(0), operands), inside(within, caller.name()));
      case Conditional op -> {
        int chosen = op.branch(operands.get(0).longAt(0), caller.called().size());
        yield locate(
            program(caller.called().get(chosen), List.of(operands.get(chosen + 1))),
            inside(within, caller.name() + ", branch " + chosen));
      }
      default -> Optional.empty();
    };
  }

  private Optional<Located> iterated(
      HloInstruction loop, Literal initial, ImmutableList<String> within) {
    HloComputation condition = loop.called().get(0);
    HloComputation body = loop.called().get(1);
    Literal state = initial;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
      Program test = program(condition, List.of(state));
      String at = loop.name() + ", iteration " + i;
      Optional<Located> found = differing(test, inside(within, at + ", condition"));
      if (found.isPresent() || test.run(Interpreter::reference, options).bitsAt(0) == 0) {
        return found;
      }
      Program step = program(body, List.of(state));
      found = differing(step, inside(within, at + ", body"));
      if (found.isPresent()) {
        return found;
      }
      state = step.run(Interpreter::reference, options);
    }
    return Optional.empty();
  }

  /** Searches a computation if its result is wrong. */
  private Optional<Located> differing(Program program, ImmutableList<String> within) {
    Literal want = program.run(Interpreter::reference, options);
    return isWrong(flat(program), want) ? locate(program, within) : Optional.empty();
  }

  /** Returns the same program with an array as each parameter. */
  private static Program flat(Program program) {
    Values values = new Values();
    for (HloInstruction parameter : program.module().entry().parameters()) {
      values.put(parameter, program.arguments().get(((Parameter) parameter.op()).number()));
    }
    return ProgramPart.of(program.module().entry().root(), Set.of(), values);
  }

  private static Program program(HloComputation computation, List<Literal> arguments) {
    return new Program(
        HloModule.create(computation.name(), computation), ImmutableList.copyOf(arguments));
  }

  private static ImmutableList<String> inside(ImmutableList<String> within, String inner) {
    return ImmutableList.<String>builder().addAll(within).add(inner).build();
  }

  /** Searches for instructions that are wrong only together. */
  private Optional<Located> together(
      HloComputation computation,
      List<HloInstruction> tried,
      Values values,
      ImmutableList<String> within) {
    Set<HloInstruction> given = new HashSet<>(computation.parameters());
    computation.instructions().stream()
        .filter(each -> isReceived(each) && values.has(each))
        .forEach(given::add);
    Optional<HloInstruction> first =
        tried.size() <= MAX_PREFIXES
            ? tried.stream()
                .filter(root -> isWrong(ProgramPart.of(root, given, values), values.of(root)))
                .findFirst()
            : bisected(tried, given, values);
    return first.map(root -> cut(root, given, tried, values, within));
  }

  /** Returns an instruction that is wrong after one that is not, near the first. */
  private Optional<HloInstruction> bisected(
      List<HloInstruction> tried, Set<HloInstruction> given, Values values) {
    int good = -1;
    int bad = tried.size();
    while (bad - good > 1) {
      HloInstruction middle = tried.get((good + bad) / 2);
      if (isWrong(ProgramPart.of(middle, given, values), values.of(middle))) {
        bad = (good + bad) / 2;
      } else {
        good = (good + bad) / 2;
      }
    }
    return bad == tried.size() ? Optional.empty() : Optional.of(tried.get(bad));
  }

  private Located cut(
      HloInstruction root,
      Set<HloInstruction> parameters,
      List<HloInstruction> tried,
      Values values,
      ImmutableList<String> within) {
    Set<HloInstruction> given = new HashSet<>(parameters);
    for (HloInstruction candidate : Lists.reverse(tried)) {
      Set<HloInstruction> more = new HashSet<>(given);
      more.add(candidate);
      if (candidate != root && isWrong(ProgramPart.of(root, more, values), values.of(root))) {
        given.add(candidate);
      }
    }
    Program smallest = ProgramPart.of(root, given, values);
    List<String> names =
        smallest.module().entry().instructions().stream().map(HloInstruction::name).toList();
    List<HloInstruction> others = new ArrayList<>(tried);
    others.removeIf(each -> each == root || given.contains(each) || !names.contains(each.name()));
    return located(root, within, ImmutableList.copyOf(others), smallest, values.of(root));
  }
}
