package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Executable;
import org.jspecify.annotations.Nullable;

/**
 * A program with some arguments bound. The bound literals were checked when they were bound, and
 * are not copied.
 */
final class BoundProgram implements Executable {
  private final Program program;

  /** The bound argument of each parameter of the program, or null where none is bound. */
  private final @Nullable Literal[] bound;

  private final int[] unboundIndices;
  private final Parameters parameters;

  private BoundProgram(Program program, @Nullable Literal[] bound) {
    this.program = program;
    this.bound = bound;
    this.unboundIndices = IntStream.range(0, bound.length).filter(i -> bound[i] == null).toArray();
    this.parameters = program.parameters().select(i -> bound[i] == null);
  }

  /** Binds arguments, which no run may overwrite with its result from now on. */
  static BoundProgram of(Program program, @Nullable Literal[] bound) {
    Arrays.stream(bound).filter(Objects::nonNull).forEach(ArrayLeaves::share);
    return new BoundProgram(program, bound);
  }

  @Override
  public HloModule module() {
    return program.module();
  }

  @Override
  public ProgramShape signature() {
    return new ProgramShape(parameters.shapes(), program.signature().result());
  }

  @Override
  public ImmutableList<String> parameterNames() {
    return parameters.names();
  }

  @Override
  public String toString() {
    return program.describe(parameters);
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
  public Literal newResult() {
    return program.newResult();
  }

  @Override
  public void unsafeRunInto(Literal result, Literal... arguments) {
    parameters.check(arguments, "run");
    program.runCheckedInto(result, mergeArguments(arguments));
  }

  @Override
  public Executable bind(Map<String, Literal> arguments) {
    return of(program, mergeArguments(parameters.orderSome(arguments, "bind")));
  }

  /** Returns all arguments of the program, in order: the bound ones and the given ones. */
  private @Nullable Literal[] mergeArguments(@Nullable Literal[] arguments) {
    @Nullable Literal[] all = bound.clone();
    for (int i = 0; i < unboundIndices.length; i++) {
      all[unboundIndices[i]] = arguments[i];
    }
    return all;
  }

  @Override
  public String explain() {
    return "bound: "
        + program.parameters().select(i -> bound[i] != null)
        + "\n"
        + program.explain();
  }
}
