package org.hlo4j.interpreter.engine;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ownership.HandedOut;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.Profile;
import org.jspecify.annotations.Nullable;

/**
 * A program with some arguments bound. The bound literals were checked when they were bound, and
 * are not copied. The program holds those that a run reads, and lets go of the others.
 */
final class BoundProgram implements DeviceExecutable {
  /** The number of runs between two looks at which arguments are still read. */
  private static final int SELDOM = 64;

  private final Program given;

  /** The parameters of the given program whose arguments are bound. */
  private final BitSet isBound;

  private final Parameters parameters;

  /** The program that is run. */
  private final Program program;

  /** The parameters of the program that is run whose arguments were computed from bound ones. */
  private final BitSet isComputed;

  private int runs;
  private volatile boolean holdsAll;

  private BoundProgram(
      Program given,
      BitSet isBound,
      Program program,
      BitSet isComputed,
      @Nullable Literal[] arguments) {
    this.given = given;
    this.isBound = isBound;
    this.parameters = given.parameters().select(i -> !isBound.get(i));
    this.program = program.withBound(arguments);
    this.isComputed = isComputed;
    this.holdsAll = program.options().valueListener().isPresent();
  }

  /**
   * Binds arguments, which no run may overwrite with its result from now on. Work that depends on
   * them alone is done now.
   */
  static BoundProgram of(Program given, @Nullable Literal[] bound) {
    return of(given, indices(bound), given, new BitSet(), bound);
  }

  private static BitSet indices(@Nullable Literal[] bound) {
    BitSet indices = new BitSet();
    IntStream.range(0, bound.length).filter(i -> bound[i] != null).forEach(indices::set);
    return indices;
  }

  private static BoundProgram of(
      Program given,
      BitSet isBound,
      Program program,
      BitSet isComputed,
      @Nullable Literal[] bound) {
    Arrays.stream(bound).filter(Objects::nonNull).forEach(HandedOut::note);
    Optional<BoundWork> work =
        program
            .preparation()
            .flatMap(preparation ->
                BoundWork.of(
                    preparation.simplified(), Arrays.stream(bound).map(Objects::nonNull).toList()));
    if (work.isEmpty()) {
      return new BoundProgram(given, isBound, program, isComputed, bound);
    }
    Program.Preparation preparation = program.preparation().orElseThrow();
    BoundWork parts = work.get();
    List<@Nullable Literal> arguments = new ArrayList<>();
    BitSet computed = new BitSet();
    for (int number : parts.restParameters()) {
      computed.set(arguments.size(), isComputed.get(number));
      arguments.add(bound[number]);
    }
    List<Literal> results = results(preparation, parts, bound).arrays();
    computed.set(arguments.size(), arguments.size() + results.size());
    arguments.addAll(results);
    return new BoundProgram(
        given,
        isBound,
        preparation.prepare(parts.rest()),
        computed,
        arguments.toArray(new @Nullable Literal[0]));
  }

  /** Returns a tuple of what is computed once, in arrays that no run may write to. */
  private static Literal results(
      Program.Preparation preparation, BoundWork parts, @Nullable Literal[] bound) {
    Literal[] arguments =
        parts.onceParameters().stream()
            .map(number -> Objects.requireNonNull(bound[number]))
            .toArray(Literal[]::new);
    return HandedOut.note(Run.withoutCopies(preparation.prepare(parts.once()), arguments));
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
    return runChecked(arguments);
  }

  @Override
  public Literal run(Map<String, Literal> arguments) {
    return runChecked(parameters.orderAll(arguments, "run"));
  }

  private Literal runChecked(Literal[] unbound) {
    Literal result = program.runChecked(mergeArguments(unbound));
    letGo();
    return result;
  }

  @Override
  public Parameters parameters() {
    return parameters;
  }

  @Override
  public ImmutableList<Literal> runOnDevices(DeviceGrid grid, List<List<Literal>> arguments) {
    ImmutableList<Literal> results = program.runChecked(grid, merged(grid, arguments, "run"));
    letGo();
    return results;
  }

  @Override
  public Profile profileOnDevices(DeviceGrid grid, int runs, List<List<Literal>> arguments) {
    return program.profileChecked(grid, runs, merged(grid, arguments, "profile"));
  }

  private List<Literal[]> merged(DeviceGrid grid, List<List<Literal>> arguments, String call) {
    return parameters.checkOnDevices(grid, arguments, call).stream()
        .map(this::mergeArguments)
        .toList();
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
    letGo();
  }

  @Override
  public DeviceExecutable bind(Map<String, Literal> arguments) {
    @Nullable Literal[] more = parameters.orderSome(arguments, "bind");
    if (arguments.isEmpty()) {
      return this;
    }
    BitSet all = (BitSet) isBound.clone();
    for (int i = 0, unbound = all.nextClearBit(0); i < more.length; i++) {
      all.set(unbound, more[i] != null);
      unbound = isBound.nextClearBit(unbound + 1);
    }
    return program.withinLimits(
        () -> of(given, all, program, isComputed, merge(more, FixedOperand::literal)));
  }

  /** Returns all arguments of the program that is run: the bound ones and the given ones. */
  private Literal[] mergeArguments(Literal[] unbound) {
    return merge(unbound, FixedOperand::argument);
  }

  private @Nullable Literal[] merge(
      @Nullable Literal[] unbound, Function<FixedOperand, Literal> value) {
    FixedOperands fixed = program.fixed();
    @Nullable Literal[] all = new @Nullable Literal[program.parameters().names().size()];
    for (int i = 0, next = 0; i < all.length; i++) {
      FixedOperand argument = fixed.argument(i);
      all[i] = argument == null ? unbound[next++] : value.apply(argument);
    }
    return all;
  }

  /** Lets go of arguments that no run reads any more: often in the first runs, then seldom. */
  private void letGo() {
    int run = ++runs;
    if (!holdsAll && ((run & run - 1) == 0 || run % SELDOM == 0)) {
      holdsAll = !program.fixed().letGo(program.schedule(program.scheduledModule().entry()));
    }
  }

  @Override
  public String explain() {
    String plan = program.explain();
    return "bound: " + given.parameters().select(isBound::get) + "\n" + computed() + held() + plan;
  }

  /** Returns what was computed once, as a line of text; nothing if nothing was. */
  private String computed() {
    long bytes =
        isComputed.stream()
            .mapToObj(program.fixed()::argument)
            .mapToLong(argument -> Objects.requireNonNull(argument).bytes())
            .sum();
    return isComputed.isEmpty()
        ? ""
        : "computed once: %s arrays, %s bytes\n".formatted(isComputed.cardinality(), bytes);
  }

  private String held() {
    long[] bytes =
        program.fixed().arguments().stream()
            .filter(argument -> !argument.isGone())
            .mapToLong(FixedOperand::bytes)
            .toArray();
    return "held: %s arrays, %s; kept by kernels: %s\n"
        .formatted(
            bytes.length,
            Explanation.bytes(Arrays.stream(bytes).sum()),
            Explanation.bytes(program.fixed().keptBytes()));
  }
}
