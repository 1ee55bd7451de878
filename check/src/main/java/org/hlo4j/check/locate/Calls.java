package org.hlo4j.check.locate;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
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

/** The computations that an instruction runs, one after the other. */
final class Calls {
  /** How many iterations of a loop are searched. */
  private static final int MAX_ITERATIONS = 1_000;

  private static final ImmutableList<String> PARTS_OF_LOOPS = ImmutableList.of("condition", "body");

  private Calls() {}

  /** A search of a computation that is run. */
  @FunctionalInterface
  interface Inner {
    /**
     * Searches a computation.
     *
     * @param number the number of the computation
     * @param arguments those of the run
     * @param where what is said after the name of the caller, such as {@code , branch 1}
     */
    Optional<Located> search(int number, List<Literal> arguments, String where);
  }

  /**
   * Searches the computations that an instruction runs, until something is found.
   *
   * @param caller the instruction
   * @param operands their values
   * @param options those of the reference, which gives the states of loops
   * @param inner searches one
   */
  static Optional<Located> search(
      HloInstruction caller, List<Literal> operands, EvaluatorOptions options, Inner inner) {
    return switch (caller.op()) {
      case While _ -> iterated(caller, operands, options, inner);
      case Call _, Fusion _ -> inner.search(0, operands, "");
      case Conditional op -> {
        int chosen = op.branch(operands.get(0).longAt(0), caller.called().size());
        yield inner.search(chosen, List.of(operands.get(chosen + 1)), ", branch " + chosen);
      }
      default -> Optional.empty();
    };
  }

  private static Optional<Located> iterated(
      HloInstruction loop, List<Literal> initial, EvaluatorOptions options, Inner inner) {
    List<Literal> state = initial;
    for (int i = 0; i < 2 * MAX_ITERATIONS; i++) {
      boolean isBody = i % 2 == 1;
      String where = ", iteration " + i / 2 + ", " + PARTS_OF_LOOPS.get(i % 2);
      Program run = program(loop.called().get(i % 2), state);
      Optional<Located> found = inner.search(i % 2, state, where);
      Optional<Literal> result =
          Runner.unlessRefused(() -> run.run(Interpreter::reference, options));
      if (found.isPresent() || result.filter(each -> isBody || each.bitsAt(0) != 0).isEmpty()) {
        return found;
      }
      state = isBody ? List.of(result.get()) : state;
    }
    return Optional.empty();
  }

  static Program program(HloComputation computation, List<Literal> arguments) {
    return new Program(
        HloModule.create(computation.name(), computation), ImmutableList.copyOf(arguments));
  }
}
