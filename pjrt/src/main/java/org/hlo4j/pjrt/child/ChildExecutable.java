package org.hlo4j.pjrt.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapMaker;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
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
    if (whole.isPresent()) {
      int of = whole.get().numberIn(child);
      ImmutableMap<String, Literal> bound = bound();
      ask(
          child,
          Question.BIND,
          out -> {
            out.number(number);
            out.number(of);
            out.texts(bound.keySet().asList());
            out.literals(bound.values().asList());
          },
          MessageReader.NOTHING);
    } else {
      ask(
          child,
          Question.COMPILE,
          out -> {
            out.number(number);
            out.bytes(bytes);
          },
          MessageReader.NOTHING);
    }
    numbers.put(child, number);
    return number;
  }

  private ImmutableMap<String, Literal> bound() {
    ImmutableMap.Builder<String, Literal> bound = ImmutableMap.builder();
    List<String> names = Objects.requireNonNull(whole.orElse(null)).parameterNames();
    for (int i = 0; i < names.size(); i++) {
      Literal literal = bound(i);
      if (literal != null) {
        bound.put(names.get(i), literal);
      }
    }
    return bound.buildOrThrow();
  }

  private <T> T ask(
      ChildProcess child,
      Question question,
      MessageWriter.Parts asked,
      MessageReader.Parts<T> answer) {
    return child.ask(question, module().name(), evaluator.deadline(), asked, answer);
  }

  /** Asks any child that has, or then has, the program. */
  private <T> T ask(Question question, MessageWriter.Parts asked, MessageReader.Parts<T> answer) {
    return evaluator.inChild(child -> {
      int number = numberIn(child);
      return ask(
          child,
          question,
          out -> {
            out.number(number);
            asked.writeTo(out);
          },
          answer);
    });
  }

  @Override
  protected Literal runChecked(Literal[] arguments) {
    List<Literal> given = List.of(arguments);
    requireKnown(given);
    return ask(Question.RUN, out -> out.literals(given), MessageReader::literal);
  }

  /** Refuses what cannot be written before a message begins. */
  private static void requireKnown(List<? extends @Nullable Literal> arguments) {
    for (Literal argument : arguments) {
      HloException.require(argument != null, "", "run got null, want a literal");
      argument.arrays().forEach(Literal::unsafeStorage); // refused if its elements were left out
    }
  }

  @Override
  protected Executable rebound(@Nullable Literal[] all) {
    ChildExecutable of = whole.orElse(this);
    return new ChildExecutable(evaluator, module(), bytes, all, Optional.of(of)).compiled();
  }

  ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> given) {
    given.forEach(ChildExecutable::requireKnown);
    return ask(
        Question.RUN_ON_DEVICES,
        out -> {
          out.number(grid.replicas());
          out.number(grid.partitions());
          out.number(given.size());
          for (List<Literal> device : given) {
            out.literals(device);
          }
        },
        MessageReader::literals);
  }

  @Override
  public String explain() {
    return ask(Question.EXPLAIN, out -> {}, MessageReader::text);
  }

  @Override
  protected String system() {
    return "child process";
  }
}
