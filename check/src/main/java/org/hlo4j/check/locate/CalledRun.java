package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A run of a computation that an instruction calls.
 *
 * @param caller the instruction
 * @param number the index of the computation among those that the instruction calls
 * @param iteration the iteration, if the instruction is a loop
 * @param arguments the arguments of the run
 */
record CalledRun(
    HloInstruction caller, int number, int iteration, ImmutableList<Literal> arguments) {
  /** How many iterations of a loop are searched. */
  private static final int MAX_ITERATIONS = 1_000;

  /**
   * Returns the runs of all computations that an instruction calls, one after the other.
   *
   * @param caller the instruction
   * @param operands their values
   * @param options those of the reference, which gives the states of loops
   */
  static Stream<CalledRun> of(
      HloInstruction caller, List<Literal> operands, EvaluatorOptions options) {
    CalledRun first = new CalledRun(caller, 0, 0, ImmutableList.copyOf(operands));
    return switch (caller.op()) {
      case While _ ->
          Stream.iterate(
                  Optional.of(first),
                  Optional::isPresent,
                  run -> run.flatMap(last -> last.next(options)))
              .flatMap(Optional::stream)
              .limit(2 * MAX_ITERATIONS);
      case Call _, Fusion _ -> Stream.of(first);
      case Conditional op -> {
        int chosen = op.branch(operands.get(0).longAt(0), caller.called().size());
        Literal given = operands.get(chosen + 1);
        yield Stream.of(new CalledRun(caller, chosen, 0, ImmutableList.of(given)));
      }
      default -> Stream.of();
    };
  }

  /** Returns the next run of a loop: condition and body alternate until the condition is false. */
  private Optional<CalledRun> next(EvaluatorOptions options) {
    boolean isBody = number == 1;
    return Runner.unlessRefused(() -> program(caller).run(Interpreter::reference, options))
        .filter(result -> isBody || result.bitsAt(0) != 0)
        .map(result ->
            isBody
                ? new CalledRun(caller, 0, iteration + 1, ImmutableList.of(result))
                : new CalledRun(caller, 1, iteration, arguments));
  }

  /** Returns what is said after the name of the caller, such as {@code , branch 1}. */
  String where() {
    return switch (caller.op()) {
      case While _ -> ", iteration " + iteration + (number == 0 ? ", condition" : ", body");
      case Conditional _ -> ", branch " + number;
      default -> "";
    };
  }

  /** Returns the run as a program, with the computation of the caller or of its counterpart. */
  Program program(HloInstruction by) {
    HloComputation computation = by.called().get(number);
    return new Program(HloModule.create(computation.name(), computation), arguments);
  }
}
