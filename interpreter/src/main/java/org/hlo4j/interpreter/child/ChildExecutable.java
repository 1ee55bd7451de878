package org.hlo4j.interpreter.child;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapMaker;
import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.engine.OutsideExecutable;
import org.jspecify.annotations.Nullable;

/**
 * A program that is compiled in each child that has to run it: also in the next one after its child
 * has ended.
 */
final class ChildExecutable extends OutsideExecutable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final ChildEvaluator evaluator;
  private final byte[] bytes;

  /** The program without bound arguments, if this one has some. */
  private final Optional<ChildExecutable> whole;

  /** The number of this program in each child that has it. */
  private final Map<ChildProcess, Integer> numbers = new MapMaker().weakKeys().makeMap();

  private ChildExecutable(
      ChildEvaluator evaluator,
      HloModule module,
      byte[] bytes,
      @Nullable Literal[] bound,
      Optional<ChildExecutable> whole) {
    super(module, bound);
    this.evaluator = evaluator;
    this.bytes = bytes;
    this.whole = whole;
    CLEANER.register(this, releaseOf(numbers));
  }

  static ChildExecutable of(ChildEvaluator evaluator, HloModule module) {
    return new ChildExecutable(
        evaluator, module, HloProtos.writeModule(module), nothingBound(module), Optional.empty());
  }

  private static Runnable releaseOf(Map<ChildProcess, Integer> numbers) {
    return () -> {
      numbers.forEach(ChildProcess::release);
      numbers.clear();
    };
  }

  /** Lets the children forget the program. */
  void release() {
    releaseOf(numbers).run();
  }

  /** Compiles it in a child, and returns it. */
  ChildExecutable compiled() {
    evaluator.inChild(this::numberIn);
    return this;
  }

  private int numberIn(ChildProcess child) {
    Integer known = numbers.get(child);
    if (known != null) {
      return known;
    }
    int number = child.nextProgram();
    ask(
        child,
        whole.isPresent()
            ? new Question.Bind(number, whole.get().numberIn(child), bound())
            : new Question.Compile(number, bytes));
    numbers.put(child, number);
    return number;
  }

  private ImmutableMap<String, Packed> bound() {
    ImmutableMap.Builder<String, Packed> bound = ImmutableMap.builder();
    List<HloInstruction> parameters = module().entry().parameters();
    for (int i = 0; i < parameters.size(); i++) {
      if (bound(i) != null) {
        bound.put(parameters.get(i).name(), Packed.of(bound(i)));
      }
    }
    return bound.buildOrThrow();
  }

  private <T extends Serializable> T ask(ChildProcess child, Question<T> question) {
    return child.ask(question, module().name(), evaluator.deadline());
  }

  /** Asks any child that has, or then has, the program. */
  private <T extends Serializable> T ask(IntFunction<Question<T>> question) {
    return evaluator.inChild(child -> ask(child, question.apply(numberIn(child))));
  }

  @Override
  protected Literal runChecked(Literal[] arguments) {
    ImmutableList<Packed> given = Packed.all(Arrays.asList(arguments));
    return ask(number -> new Question.Run(number, given)).literal();
  }

  @Override
  protected Executable rebound(@Nullable Literal[] all) {
    ChildExecutable of = whole.orElse(this);
    return new ChildExecutable(evaluator, module(), bytes, all, Optional.of(of)).compiled();
  }

  @Override
  public DeviceGrid grid() {
    return DeviceGrid.of(module());
  }

  @Override
  public ImmutableList<Literal> runOnDevices(List<List<Literal>> arguments) {
    return runOnDevices(grid(), withBound(grid(), arguments, "run"));
  }

  ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    ImmutableList<ImmutableList<Packed>> given =
        arguments.stream().map(Packed::all).collect(toImmutableList());
    return Packed.literals(
        ask(number ->
            new Question.RunOnDevices(number, grid.replicas(), grid.partitions(), given)));
  }

  @Override
  public String explain() {
    return ask(Question.Explain::new);
  }

  @Override
  protected String system() {
    return "child process";
  }
}
