package org.hlo4j.tools.cases;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.stablehlo.CheckedModule;
import org.hlo4j.stablehlo.ParallelProgram;
import org.hlo4j.stablehlo.StableHlo;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.tools.console.ErrorMessages;
import org.hlo4j.tools.system.EvaluatorArguments;

/** The execution of self-checking StableHLO programs. */
public final class SelfCheckingRun {
  private final EvaluatorArguments evaluators;

  public SelfCheckingRun(EvaluatorArguments evaluators) {
    this.evaluators = evaluators;
  }

  /** Runs a program and returns its outcome; never throws an exception. */
  Outcome outcome(Operation module) {
    try {
      Optional<ParallelProgram> parallel = ParallelProgram.of(module);
      return parallel.isPresent()
          ? outcome(parallel.get())
          : StableHlo.selfChecking(module).stream()
              .map(program -> outcome(program, List.of()))
              .filter(outcome -> !(outcome instanceof Outcome.Passed))
              .findFirst()
              .orElseGet(Outcome.Passed::new);
    } catch (HloException refusal) {
      return refusal.kind() == HloException.Kind.UNSUPPORTED
          ? new Outcome.Unsupported(ErrorMessages.describe(refusal))
          : new Outcome.Failed(ErrorMessages.describe(refusal));
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError problem) {
      return new Outcome.Failed(ErrorMessages.describe(problem));
    }
  }

  private Outcome outcome(CheckedModule program, List<Literal> arguments) {
    Literal result =
        evaluators.evaluator().run(program.module(), arguments.toArray(Literal[]::new));
    for (int i = 0; i < program.checks().size(); i++) {
      int at = program.results() + 2 * i;
      Optional<String> problem =
          new CheckComparator(program.checks().get(i))
              .problem(result.element(at), result.element(at + 1));
      if (problem.isPresent()) {
        return new Outcome.Failed(problem.get());
      }
    }
    return new Outcome.Passed();
  }

  private Outcome outcome(ParallelProgram program) {
    List<Literal> operands = values(evaluators.evaluator().run(program.before()));
    List<HloModule> modules = program.programs().stream().flatMap(List::stream).toList();
    List<List<Literal>> arguments = new ArrayList<>();
    int next = 0;
    for (HloModule module : modules) {
      int count = module.entry().parameters().size();
      arguments.add(operands.subList(next, next + count));
      next += count;
    }
    Transfers transfers = Transfers.create();
    for (HloModule entry : program.infeed()) {
      Literal value = Literal.tuple(values(evaluators.evaluator().run(entry)));
      for (int device = 0; device < modules.size(); device++) {
        transfers.feedInto(device, value);
      }
    }
    DeviceGrid grid = new DeviceGrid(program.programs().size(), program.programs().get(0).size());
    boolean same = modules.stream().distinct().count() == 1;
    List<Literal> results =
        same
            ? evaluator(transfers).runOnDevices(modules.get(0), grid, arguments)
            : runSequentially(modules, arguments, transfers);
    return outcome(
        program.after(),
        results.stream().flatMap(result -> values(result).stream()).collect(toImmutableList()));
  }

  private Evaluator evaluator(Transfers transfers) {
    return evaluators.evaluator(evaluators.options().toBuilder().transfers(transfers).build());
  }

  /**
   * Runs different programs one after the other. They communicate by channels only, so that
   * receivers run after senders.
   */
  private List<Literal> runSequentially(
      List<HloModule> modules, List<List<Literal>> arguments, Transfers transfers) {
    Literal[] results = new Literal[modules.size()];
    for (boolean receiving : new boolean[] {false, true}) {
      for (int i = 0; i < results.length; i++) {
        if (receives(modules.get(i)) == receiving) {
          results[i] =
              evaluator(transfers).run(modules.get(i), arguments.get(i).toArray(Literal[]::new));
        }
      }
    }
    return ImmutableList.copyOf(results);
  }

  private static boolean receives(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> instruction.op() instanceof Recv);
  }

  /** Returns the elements of a tuple, or the value itself. */
  private static List<Literal> values(Literal result) {
    return result.shape() instanceof Shape.Tuple ? result.elements() : List.of(result);
  }
}
