package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * A program with some arguments bound. The bound literals were checked when they were bound, and
 * are not copied.
 */
final class BoundProgram implements Executable {
  private final Program given;

  /** The bound argument of each parameter of the given program, or null where none is bound. */
  private final @Nullable Literal[] bound;

  private final Parameters parameters;

  /** The program that is run. */
  private final Program program;

  /** The argument of each parameter of the program that is run, or null where none is bound. */
  private final @Nullable Literal[] arguments;

  private final int[] unboundIndices;

  /** Describes what was computed once. */
  private final String done;

  private BoundProgram(
      Program given,
      @Nullable Literal[] bound,
      Program program,
      @Nullable Literal[] arguments,
      String done) {
    this.done = done;
    this.given = given;
    this.bound = bound;
    this.parameters = given.parameters().select(i -> bound[i] == null);
    this.program = program.withBound(arguments);
    this.arguments = arguments;
    this.unboundIndices =
        IntStream.range(0, arguments.length).filter(i -> arguments[i] == null).toArray();
  }

  /**
   * Binds arguments, which no run may overwrite with its result from now on. Work that depends on
   * them alone is done now.
   */
  static BoundProgram of(Program given, @Nullable Literal[] bound) {
    Arrays.stream(bound).filter(Objects::nonNull).forEach(ArrayLeaves::share);
    Optional<BoundWork> work =
        given
            .preparation()
            .flatMap(preparation ->
                BoundWork.of(
                    preparation.simplify(given.module()),
                    Arrays.stream(bound).map(Objects::nonNull).toList()));
    if (work.isEmpty()) {
      return new BoundProgram(given, bound, given, bound, "");
    }
    Program.Preparation preparation = given.preparation().orElseThrow();
    BoundWork parts = work.get();
    Literal[] arguments =
        parts.onceParameters().stream()
            .map(number -> Objects.requireNonNull(bound[number]))
            .toArray(Literal[]::new);
    Literal results = preparation.prepare(parts.once()).runChecked(arguments);
    ArrayLeaves.share(results);
    List<Literal> arrays = ArrayLeaves.of(results);
    List<@Nullable Literal> all = new ArrayList<>();
    parts.restParameters().forEach(number -> all.add(bound[number]));
    all.addAll(arrays);
    String done =
        "computed once: %s arrays, %s bytes\n"
            .formatted(
                arrays.size(),
                arrays.stream()
                    .mapToLong(array -> Liveness.bytes((Shape.Array) array.shape()))
                    .sum());
    return new BoundProgram(
        given,
        bound,
        preparation.prepare(parts.rest()),
        all.toArray(new @Nullable Literal[0]),
        done);
  }

  @Override
  public HloModule module() {
    return given.module();
  }

  @Override
  public ProgramShape signature() {
    return new ProgramShape(parameters.shapes(), given.signature().result());
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return parameters.names();
  }

  @Override
  public String toString() {
    return given.describe(parameters);
  }

  @Override
  public Literal run(Literal... arguments) {
    parameters.check(arguments, "run");
    return program.runChecked(mergeArguments(arguments));
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    return program.runChecked(mergeArguments(parameters.orderAll(arguments, "run")));
  }

  @Override
  public Profile profile(int runs, Literal... unbound) {
    parameters.check(unbound, "profile");
    return program.profileChecked(runs, mergeArguments(unbound));
  }

  @Override
  public Literal newResult() {
    return given.newResult();
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    parameters.check(arguments, "run");
    program.runCheckedInto(result, mergeArguments(arguments));
  }

  @Override
  public Executable bind(Map<String, Literal> arguments) {
    @Nullable Literal[] more = parameters.orderSome(arguments, "bind");
    @Nullable Literal[] all = bound.clone();
    for (int i = 0, next = 0; i < all.length; i++) {
      if (all[i] == null) {
        all[i] = more[next++];
      }
    }
    return given.withBoundArguments(all);
  }

  /** Returns all arguments of the program that is run: the bound ones and the given ones. */
  private @Nullable Literal[] mergeArguments(@Nullable Literal[] unbound) {
    @Nullable Literal[] all = arguments.clone();
    for (int i = 0; i < unboundIndices.length; i++) {
      all[unboundIndices[i]] = unbound[i];
    }
    return all;
  }

  @Override
  public String explain() {
    return "bound: "
        + given.parameters().select(i -> bound[i] != null)
        + "\n"
        + done
        + program.explain();
  }
}
