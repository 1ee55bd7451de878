package org.hlo4j.check;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Infeed;
import org.hlo4j.hlo.op.Outfeed;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.Transfers;
import org.hlo4j.interpreter.engine.TransferQueues;

/**
 * A module, the arguments of its entry computation, and what its infeeds give.
 *
 * <p>A program for several devices takes whole arrays, as {@link Executable#run(Literal...)} does,
 * or each device has arguments of its own, as {@link Executable#runOnDevices} takes them: then each
 * of the arguments is a tuple of what the devices have, and so is the result.
 *
 * @param module the module
 * @param arguments one literal for each parameter of the entry, in order
 * @param infeed the values of infeed, in the order in which they are taken; of a program for
 *     several devices a tuple of such values for each device
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
   * Creates a program of which each device has arguments of its own.
   *
   * @param module the module, whose header says how many devices there are
   * @param arguments for each device, one literal for each parameter of the entry, in order
   * @return the program; for one device one like any other
   * @throws HloException if the devices have different numbers of arguments
   */
  public static Program ofDevices(HloModule module, List<? extends List<Literal>> arguments) {
    if (arguments.size() == 1) {
      return new Program(module, ImmutableList.copyOf(arguments.get(0)));
    }
    int count = arguments.isEmpty() ? 0 : arguments.get(0).size();
    for (List<Literal> own : arguments) {
      require(own.size() == count, "", "program: got %s arguments, want %s", own.size(), count);
    }
    return new Program(
        module,
        IntStream.range(0, count)
            .mapToObj(i -> Literal.tuple(arguments.stream().map(own -> own.get(i)).toList()))
            .collect(toImmutableList()));
  }

  /**
   * Returns whether each of several devices has arguments and results of its own.
   *
   * @return whether the arguments are tuples of those of the devices; without arguments, whether
   *     the module is for several devices and not global
   */
  public boolean isOfEachDevice() {
    List<HloInstruction> parameters = module.entry().parameters();
    return deviceCount() > 1
        && (arguments.isEmpty()
            ? !module.devices().isGlobal()
            : arguments.size() == parameters.size()
                && IntStream.range(0, arguments.size())
                    .allMatch(i -> isOfDevices(arguments.get(i), parameters.get(i).shape())));
  }

  private boolean isOfDevices(Literal argument, Shape parameter) {
    return argument.shape() instanceof Shape.Tuple tuple
        && tuple.elements().size() == deviceCount()
        && !parameter.compatible(tuple);
  }

  /**
   * Returns the number of devices.
   *
   * @return that of the module's header
   */
  public int deviceCount() {
    return module.devices().count();
  }

  /**
   * Returns the arguments of each device.
   *
   * @return for each device, one literal for each parameter of the entry; one list for a program
   *     that takes whole arrays
   */
  public ImmutableList<List<Literal>> argumentsOfDevices() {
    return isOfEachDevice()
        ? IntStream.range(0, deviceCount())
            .mapToObj(device -> arguments.stream().map(each -> each.element(device)).toList())
            .collect(toImmutableList())
        : ImmutableList.of(arguments);
  }

  /**
   * Returns the results of each device.
   *
   * @param all what the program gives
   * @return the result of each device; one of a program that takes whole arrays
   */
  public ImmutableList<Literal> results(Literal all) {
    return isOfEachDevice() ? all.elements() : ImmutableList.of(all);
  }

  /**
   * Changes an argument, or those that the devices have in its place.
   *
   * @param argument one of the arguments
   * @param change the change of a value of the parameter's shape
   * @return what it becomes
   */
  public Literal changed(Literal argument, UnaryOperator<Literal> change) {
    return isOfEachDevice()
        ? Literal.tuple(argument.elements().stream().map(change).toList())
        : change.apply(argument);
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
    return isOfEachDevice()
        ? Literal.tuple(evaluator.runOnDevices(module, DeviceGrid.of(module), argumentsOfDevices()))
        : evaluator.run(module, arguments.toArray(Literal[]::new));
  }

  /**
   * Runs the program as it was compiled.
   *
   * @param executable the compiled module
   * @return the value of the entry's root
   * @throws HloException as {@link Executable#run(Literal...)}
   */
  public Literal run(Executable executable) {
    return isOfEachDevice()
        ? Literal.tuple(executable.runOnDevices(argumentsOfDevices()))
        : executable.run(arguments.toArray(Literal[]::new));
  }

  /**
   * Runs the program on a new evaluator, with its values of infeed.
   *
   * @param evaluator creates the evaluator, such as {@code Interpreter::reference}
   * @param options the options; the transfers are those of the program
   * @return the value of the entry's root; if the module has an infeed or outfeed, a tuple of it
   *     and of the tuple of all values that outfeed got; so also what it sends to the host, by
   *     channel, and the calls of custom calls {@code observe.1} to {@code observe.3}; if each
   *     device has arguments of its own, a tuple of such a value for each
   * @throws HloException as {@link Evaluator#run(HloModule, Literal...)}
   */
  public Literal run(Function<EvaluatorOptions, Evaluator> evaluator, EvaluatorOptions options) {
    return prepared(evaluator, options).get();
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
    return prepared(evaluator, options, executable -> ImmutableList.of(() -> run(executable)))
        .get(0);
  }

  /**
   * Prepares the program to run many times in several ways.
   *
   * @param evaluator creates the evaluator, such as {@code Interpreter::reference}
   * @param options the options; the transfers are those of the program
   * @param ways gives the ways to run the compiled module
   * @return the runs in each way
   * @throws HloException as {@link Evaluator#compile(HloModule)}
   */
  public ImmutableList<Supplier<Literal>> prepared(
      Function<EvaluatorOptions, Evaluator> evaluator,
      EvaluatorOptions options,
      Function<Executable, List<Supplier<Literal>>> ways) {
    Environment environment = new Environment(this);
    Executable executable = evaluator.apply(environment.options(options)).compile(module);
    return ways.apply(executable).stream()
        .<Supplier<Literal>>map(way -> () -> environment.around(way))
        .collect(toImmutableList());
  }

  /**
   * Returns the program with those values of a source that its infeeds take when the reference runs
   * it.
   *
   * @param sources gives the source of a device: what gives a value of a shape; empty if there are
   *     no more
   * @param options the options of the reference
   * @return the program
   * @throws HloException if the reference cannot run it
   */
  public Program fedFrom(
      IntFunction<Function<Shape, Optional<Literal>>> sources, EvaluatorOptions options) {
    TransferQueues transfers = new TransferQueues();
    List<List<Literal>> taken =
        Stream.<List<Literal>>generate(ArrayList::new).limit(deviceCount()).toList();
    List<Function<Shape, Optional<Literal>>> ofDevices =
        IntStream.range(0, deviceCount()).mapToObj(sources).toList();
    transfers.feedFrom((device, shape) -> {
      Optional<Literal> next = ofDevices.get(device).apply(shape);
      next.ifPresent(taken.get(device)::add);
      return next;
    });
    EvaluatorOptions around = new Environment(this).options(options);
    run(Interpreter.reference(around.toBuilder().transfers(transfers).build()));
    return new Program(
        module,
        arguments,
        deviceCount() == 1
            ? ImmutableList.copyOf(taken.get(0))
            : taken.stream().map(Literal::tuple).collect(toImmutableList()));
  }

  /**
   * Gives the values of infeed.
   *
   * @param transfers the queues of the devices, which get them
   */
  public void feed(Transfers transfers) {
    List<List<Literal>> ofDevices = infeedOfDevices();
    for (int device = 0; device < ofDevices.size(); device++) {
      transfers.feedInto(device, ofDevices.get(device).toArray(Literal[]::new));
    }
  }

  /**
   * Returns the values of infeed of each device.
   *
   * @return for each device, the values in the order in which they are taken
   */
  public ImmutableList<List<Literal>> infeedOfDevices() {
    return deviceCount() == 1
        ? ImmutableList.of(infeed)
        : infeed.stream().<List<Literal>>map(Literal::elements).collect(toImmutableList());
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
    return Literal.ofArrays(
        argument.shape(),
        argument.arrays().stream()
            .map(each -> Literal.ofBits(each.arrayShape(), each::bitsAt))
            .iterator());
  }
}
