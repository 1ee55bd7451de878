package org.hlo4j.pjrt.child;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.MapMaker;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * A program that is compiled in each child that has to run it: also in the next one after its child
 * has ended.
 */
final class ChildExecutable implements Executable {
  private static final Cleaner CLEANER = Cleaner.create();

  private final ChildEvaluator evaluator;
  private final HloModule module;
  private final byte[] bytes;

  /** The program of which arguments are bound, and these. */
  private final Optional<ChildExecutable> whole;

  private final ImmutableMap<String, Literal> bound;

  /** The number of this program in each child that has it. */
  private final Map<ChildProcess, Integer> numbers = new MapMaker().weakKeys().makeMap();

  private volatile @Nullable Signature signature;

  /** What a child says about a program. */
  private record Signature(ImmutableList<String> names, ProgramShape shapes) {
    static Signature read(MessageReader in) throws IOException {
      ImmutableList<String> names = in.texts();
      ImmutableList.Builder<Shape> parameters = ImmutableList.builder();
      in.texts().forEach(text -> parameters.add(Shape.parse(text)));
      return new Signature(names, new ProgramShape(parameters.build(), Shape.parse(in.text())));
    }
  }

  ChildExecutable(ChildEvaluator evaluator, HloModule module) {
    this(evaluator, module, HloProtos.writeModule(module), Optional.empty(), ImmutableMap.of());
  }

  private ChildExecutable(
      ChildEvaluator evaluator,
      HloModule module,
      byte[] bytes,
      Optional<ChildExecutable> whole,
      ImmutableMap<String, Literal> bound) {
    this.evaluator = evaluator;
    this.module = module;
    this.bytes = bytes;
    this.whole = whole;
    this.bound = bound;
    CLEANER.register(this, releaseOf(numbers));
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
      signature =
          ask(
              child,
              Question.BIND,
              out -> {
                out.number(number);
                out.number(of);
                named(bound, out);
              },
              Signature::read);
    } else {
      signature =
          ask(
              child,
              Question.COMPILE,
              out -> {
                out.number(number);
                out.bytes(bytes);
              },
              Signature::read);
    }
    numbers.put(child, number);
    return number;
  }

  private static void named(Map<String, Literal> arguments, MessageWriter out) throws IOException {
    out.texts(List.copyOf(arguments.keySet()));
    out.literals(List.copyOf(arguments.values()));
  }

  private <T> T ask(
      ChildProcess child,
      Question question,
      MessageWriter.Parts asked,
      MessageReader.Parts<T> answer) {
    return child.ask(question, module.name(), evaluator.deadline(), asked, answer);
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

  private Signature known() {
    Signature known = signature;
    return known == null ? compiled().known() : known;
  }

  @Override
  public HloModule module() {
    return module;
  }

  @Override
  public ProgramShape signature() {
    return known().shapes();
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return known().names();
  }

  @Override
  public Literal run(Literal... arguments) {
    List<Literal> given = Arrays.asList(arguments);
    requireKnown(given);
    return ask(Question.RUN, out -> out.literals(given), MessageReader::literal);
  }

  private static void requireKnown(Collection<? extends @Nullable Literal> arguments) {
    for (Literal argument : arguments) {
      HloException.require(argument != null, "", "run got null, want a literal");
      argument.arrays().forEach(Literal::unsafeStorage); // refused if its elements were left out
    }
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    requireKnown(arguments.values());
    return ask(Question.RUN_NAMED, out -> named(arguments, out), MessageReader::literal);
  }

  ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    arguments.forEach(ChildExecutable::requireKnown);
    return ask(
        Question.RUN_ON_DEVICES,
        out -> {
          out.number(grid.replicas());
          out.number(grid.partitions());
          out.number(arguments.size());
          for (List<Literal> device : arguments) {
            out.literals(device);
          }
        },
        MessageReader::literals);
  }

  @Override
  public Executable bind(Map<String, Literal> arguments) {
    requireKnown(arguments.values());
    return new ChildExecutable(
            evaluator, module, bytes, Optional.of(this), ImmutableMap.copyOf(arguments))
        .compiled();
  }

  @Override
  public Literal newResult() {
    return zeros(signature().result());
  }

  private static Literal zeros(Shape shape) {
    return switch (shape) {
      case Shape.Array array when !array.isDynamic() -> Literal.zeros(array);
      case Shape.Tuple tuple ->
          Literal.tuple(tuple.elements().stream().map(ChildExecutable::zeros).toList());
      case Shape other ->
          throw new HloException(
              HloException.Kind.UNSUPPORTED,
              "newResult got " + other + ", want arrays of known sizes");
    };
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    HloException.require(
        result.shape().equals(signature().result()),
        "",
        "run got a result of shape %s, want %s",
        result.shape(),
        signature().result());
    ImmutableList<Literal> got = run(arguments).arrays();
    for (int i = 0; i < got.size(); i++) {
      Object from = got.get(i).unsafeStorage();
      System.arraycopy(from, 0, result.arrays().get(i).unsafeStorage(), 0, Array.getLength(from));
    }
  }

  @Override
  public Profile profile(int runs, Literal... arguments) {
    throw new HloException(
        HloException.Kind.UNSUPPORTED,
        "profile got a program in a child process, want an evaluator of this process");
  }

  @Override
  public String explain() {
    return ask(Question.EXPLAIN, out -> {}, MessageReader::text);
  }

  @Override
  public String toString() {
    return module.name() + " in a child process";
  }
}
