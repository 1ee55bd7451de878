package org.hlo4j.check;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.engine.TransferQueues;

/**
 * A module, the arguments of its entry computation, and what its infeeds give.
 *
 * @param module the module
 * @param arguments one literal for each parameter of the entry, in order
 * @param infeed the values of infeed, in the order in which they are taken
 */
public record Program(
    HloModule module, ImmutableList<Literal> arguments, ImmutableList<Literal> infeed) {
  /**
   * Creates a program that takes nothing from infeed.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, in order
   */
  public Program(HloModule module, ImmutableList<Literal> arguments) {
    this(module, arguments, ImmutableList.of());
  }

  /**
   * Creates a program that takes nothing from infeed.
   *
   * @param module the module
   * @param arguments one literal for each parameter of the entry, in order
   * @return the program
   */
  public static Program of(HloModule module, Literal... arguments) {
    return new Program(module, ImmutableList.copyOf(arguments));
  }

  /**
   * Returns a program with the same values of infeed.
   *
   * @param changed the module
   * @param given one literal for each parameter of its entry, in order
   * @return the program
   */
  public Program with(HloModule changed, ImmutableList<Literal> given) {
    return new Program(changed, given, infeed);
  }

  /**
   * Runs the program on an evaluator, whose own {@link org.hlo4j.interpreter.Transfers} give it
   * what it takes from infeed.
   *
   * @param evaluator the evaluator
   * @return the value of the entry's root
   * @throws HloException as {@link Evaluator#run(HloModule, Literal...)}
   */
  public Literal run(Evaluator evaluator) {
    return evaluator.run(module, arguments.toArray(Literal[]::new));
  }

  /**
   * Runs the program on a new evaluator, with its values of infeed.
   *
   * @param evaluator creates the evaluator, such as {@code Interpreter::reference}
   * @param options the options; the transfers are those of the program
   * @return the value of the entry's root; if the module has an infeed or outfeed, a tuple of it
   *     and of the tuple of all values that outfeed got; so also what it sends to the host, by
   *     channel, and the calls of {@link Environment#TARGETS}
   * @throws HloException as {@link Evaluator#run(HloModule, Literal...)}
   */
  public Literal run(Function<EvaluatorOptions, Evaluator> evaluator, EvaluatorOptions options) {
    Environment environment = new Environment(this);
    Evaluator made = evaluator.apply(environment.options(options));
    return environment.around(() -> run(made));
  }

  /**
   * Prepares the program to run many times, as {@link #run(Function, EvaluatorOptions)} does once.
   *
   * @param evaluator creates the evaluator, such as {@code Interpreter::reference}
   * @param options the options; the transfers are those of the program
   * @return the runs
   * @throws HloException as {@link Evaluator#compile(HloModule)}
   */
  public Supplier<Literal> prepared(
      Function<EvaluatorOptions, Evaluator> evaluator, EvaluatorOptions options) {
    Environment environment = new Environment(this);
    Executable executable = evaluator.apply(environment.options(options)).compile(module);
    return () -> environment.around(() -> executable.run(arguments.toArray(Literal[]::new)));
  }

  /**
   * Returns the program with those values of a source that its infeeds take when the reference runs
   * it.
   *
   * @param source gives a value of a shape; empty if there are no more
   * @param options the options of the reference
   * @return the program
   * @throws HloException if the reference cannot run it
   */
  public Program fedFrom(Function<Shape, Optional<Literal>> source, EvaluatorOptions options) {
    TransferQueues transfers = new TransferQueues();
    ImmutableList.Builder<Literal> taken = ImmutableList.builder();
    transfers.feedFrom(shape -> {
      Optional<Literal> next = source.apply(shape);
      next.ifPresent(taken::add);
      return next;
    });
    EvaluatorOptions around = new Environment(this).options(options);
    run(Interpreter.reference(around.toBuilder().transfers(transfers).build()));
    return new Program(module, arguments, taken.build());
  }

  /**
   * Returns whether the module has an infeed or outfeed.
   *
   * @return whether a computation has one
   */
  public boolean hasFeeds() {
    return module.computations().stream().anyMatch(Program::hasFeeds);
  }

  /**
   * Returns whether a computation has an infeed or outfeed, itself or in what it calls.
   *
   * @param computation a computation
   * @return whether it has one
   */
  public static boolean hasFeeds(HloComputation computation) {
    return computation.instructions().stream()
        .anyMatch(each ->
            each.op() instanceof Infeed
                || each.op() instanceof Outfeed
                || each.called().stream().anyMatch(Program::hasFeeds));
  }

  /**
   * Returns deep copies of the arguments.
   *
   * @return the copies, in order
   */
  public ImmutableList<Literal> copies() {
    return arguments.stream().map(Program::copy).collect(toImmutableList());
  }

  static Literal copy(Literal argument) {
    if (!(argument.shape() instanceof Shape.Array array)) {
      return argument.elements().isEmpty()
          ? argument
          : Literal.tuple(argument.elements().stream().map(Program::copy).toList());
    }
    return Literal.ofBits(array, argument::bitsAt);
  }
}
