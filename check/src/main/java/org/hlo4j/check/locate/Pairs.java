package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Streams;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Conditional;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.While;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A search for the instructions at which two programs that should compute the same part. They are
 * paired as {@link ModuleDiff} does, without calls and fusions, or else by their names; the
 * reference computes both of a pair from the values that the first program has for the pairs before
 * it. Where loops or conditionals differ, the search goes on in the computations that they call.
 */
final class Pairs {
  /** How many iterations of a loop are searched. */
  private static final int MAX_ITERATIONS = 1_000;

  private final ToleranceProfile profile;
  private final EvaluatorOptions options;
  private final Consumer<String> listener;
  private final ImmutableList<String> within;
  private final Side first;
  private final Side second;

  /** The verdict from which on two values are said to differ. */
  private final Verdict least;

  private Pairs(
      Side first,
      Side second,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener,
      ImmutableList<String> within,
      Verdict least) {
    this.first = first;
    this.second = second;
    this.least = least;
    this.profile = profile;
    this.options = options;
    this.listener = listener;
    this.within = within;
  }

  static Optional<Located> locate(
      Program before,
      Program after,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener,
      ImmutableList<String> within) {
    ModuleDiff.ComputationDiff entries =
        ModuleDiff.of(flat(before), flat(after)).computations().get(0);
    long start = System.nanoTime();
    Program flat = program(entries.first(), before);
    ImmutableList<Values> ofDevices =
        before.deviceCount() == 1
            ? ImmutableList.of(Values.of(flat, options))
            : Values.ofDevices(flat, options);
    EvaluatorOptions limits = Runner.withDeadlineSince(start, options);
    return Stream.of(Verdict.WRONG, Verdict.UNSPECIFIED) // as by a reducer that is no monoid
        .flatMap(least ->
            IntStream.range(0, ofDevices.size())
                .mapToObj(device -> {
                  Side first = new Side(entries.first(), ofDevices.get(device), ofDevices.size());
                  Side second = new Side(entries.second(), new Values(), ofDevices.size());
                  ImmutableList<String> at =
                      ofDevices.size() == 1 ? within : Locator.inside(within, "device " + device);
                  return new Pairs(first, second, profile, limits, listener, at, least)
                      .search(entries);
                })
                .flatMap(Optional::stream))
        .findFirst();
  }

  private static HloModule flat(Program program) {
    return CallInliner.inlined(program.module(), "..");
  }

  private static Program program(HloComputation entry, Program program) {
    HloModule module = program.module();
    return program.with(
        HloModule.create(entry.name(), entry).withText(module.attributes(), module.stackFrames()),
        program.arguments());
  }

  private record Pair(HloInstruction before, HloInstruction after) {}

  /** One of the two programs, with the values of the first at those pairs that are given. */
  private static final class Side {
    final HloComputation entry;
    final Values values;
    final Set<HloInstruction> given = new HashSet<>();
    private final Map<HloInstruction, List<HloInstruction>> users = new HashMap<>();
    private final int devices;

    Side(HloComputation entry, Values values, int devices) {
      this.devices = devices;
      this.entry = entry;
      this.values = values;
      for (HloInstruction each : entry.instructions()) {
        each.operands()
            .forEach(operand -> users.computeIfAbsent(operand, key -> new ArrayList<>()).add(each));
      }
    }

    Program part(List<HloInstruction> roots) {
      return ProgramPart.of(roots, given, values);
    }

    /** Returns whether one device can compute an instruction from what is given. */
    boolean isAlone(HloInstruction root) {
      return devices == 1 || !DeviceScope.meetOthers(part(List.of(root)).module());
    }

    /** Returns what is computed from an instruction, as far as to what is given. */
    Set<HloInstruction> reached(HloInstruction from) {
      Set<HloInstruction> reached = new HashSet<>();
      Deque<HloInstruction> left = new ArrayDeque<>(List.of(from));
      while (!left.isEmpty()) {
        for (HloInstruction user : users.getOrDefault(left.remove(), List.of())) {
          if (reached.add(user) && !given.contains(user)) {
            left.add(user);
          }
        }
      }
      return reached;
    }
  }

  /** Pairs instructions as the difference does, and what it leaves by name. */
  private ImmutableList<Pair> pairs(ModuleDiff.ComputationDiff entries) {
    Map<HloInstruction, HloInstruction> pairs = new HashMap<>();
    Stream.concat(entries.same().stream(), entries.changed().stream())
        .forEach(each -> pairs.put(each.first(), each.second()));
    Map<String, HloInstruction> added = new HashMap<>();
    entries.added().forEach(each -> added.put(each.name(), each));
    for (HloInstruction each : entries.removed()) {
      Optional.ofNullable(added.get(each.name())).ifPresent(other -> pairs.put(each, other));
    }
    return entries.first().instructions().stream()
        .filter(pairs::containsKey)
        .map(each -> new Pair(each, pairs.getOrDefault(each, each)))
        .filter(this::areAlike)
        .collect(toImmutableList());
  }

  private boolean areAlike(Pair pair) {
    Shape before = pair.before().shape().withoutLayout();
    return before.equals(pair.after().shape().withoutLayout())
        && before instanceof Shape.Array
        && first.values.has(pair.before());
  }

  /**
   * Looks at all pairs in order. One that differs is no longer given, since two instructions may
   * have been taken for a pair that are none: then what uses them agrees all the same. It is guilty
   * if that differs, too.
   */
  private Optional<Located> search(ModuleDiff.ComputationDiff entries) {
    ImmutableList<Pair> pairs = pairs(entries);
    Streams.forEachPair(
        first.entry.parameters().stream(),
        second.entry.parameters().stream(),
        (one, other) -> give(new Pair(one, other)));
    pairs.forEach(this::give);
    Pair result = new Pair(entries.first().root(), entries.second().root());
    int done = 0;
    for (List<Pair> some : chunks(pairs)) {
      listener.accept("pair " + done + " of " + pairs.size());
      for (Pair pair : differing(some)) {
        if (!differ(pair)) {
          continue;
        }
        first.given.remove(pair.before());
        second.given.remove(pair.after());
        Set<HloInstruction> inFirst = first.reached(pair.before());
        Set<HloInstruction> inSecond = second.reached(pair.after());
        boolean isGuilty =
            pair.equals(result)
                || Stream.concat(pairs.stream(), Stream.of(result))
                    .filter(
                        each -> inFirst.contains(each.before()) || inSecond.contains(each.after()))
                    .anyMatch(each -> !isAlone(each) || differ(each));
        if (isGuilty) {
          return Optional.of(found(pair));
        }
      }
      done += some.size();
    }
    return differ(result) ? Optional.of(found(result)) : Optional.empty();
  }

  private ImmutableList<List<Pair>> chunks(ImmutableList<Pair> pairs) {
    Map<HloInstruction, Pair> of = new HashMap<>();
    pairs.forEach(each -> of.put(each.after(), each));
    List<HloInstruction> computed =
        pairs.stream().map(Pair::after).filter(each -> !(each.op() instanceof Parameter)).toList();
    return ProgramPart.chunks(computed, second.values).stream()
        .map(some -> some.stream().map(of::get).toList())
        .collect(toImmutableList());
  }

  private void give(Pair pair) {
    first.given.add(pair.before());
    second.given.add(pair.after());
    second.values.put(pair.after(), first.values.of(pair.before()));
  }

  /** Returns the pairs whose values are not the same, or cannot be computed in one run. */
  private List<Pair> differing(List<Pair> all) {
    List<Pair> pairs = all.stream().filter(this::isAlone).toList();
    if (pairs.isEmpty()) {
      return pairs;
    }
    Optional<Literal> values = run(second.part(pairs.stream().map(Pair::after).toList()));
    return IntStream.range(0, pairs.size())
        .filter(i ->
            values.isEmpty()
                || !(pairs.size() == 1 ? values.get() : values.get().element(i))
                    .equals(first.values.of(pairs.get(i).before())))
        .mapToObj(pairs::get)
        .toList();
  }

  private Optional<Literal> run(Program program) {
    return Runner.unlessRefused(() -> program.run(Interpreter::reference, options));
  }

  /** Returns whether a device can compute both of a pair without others. */
  private boolean isAlone(Pair pair) {
    return first.isAlone(pair.before()) && second.isAlone(pair.after());
  }

  private boolean differ(Pair pair) {
    Program after = second.part(List.of(pair.after()));
    return isAlone(pair)
        && !run(after).filter(first.values.of(pair.before())::equals).isPresent()
        && differ(first.part(List.of(pair.before())), after);
  }

  private boolean differ(Program before, Program after) {
    return Runner.answered(
        () ->
            Comparison.ofPrograms(after, before, profile, options).verdict().compareTo(least) >= 0,
        no -> no.kind() == HloException.Kind.LIMIT); // as a loop that has come to have no end
  }

  private Located found(Pair pair) {
    return called(pair)
        .orElseGet(() -> {
          Program before = first.part(List.of(pair.before()));
          Program after = second.part(List.of(pair.after()));
          Optional<Comparison> comparison =
              Runner.unlessRefused(() -> Comparison.ofPrograms(after, before, profile, options));
          return new Located(
              pair.after(),
              within,
              ImmutableList.of(),
              after,
              comparison,
              comparison.isEmpty() ? "it did not end in time" : "",
              Optional.of(new Located.Counterpart(pair.before(), before)));
        });
  }

  /** Searches the computations of the loops or conditionals that give the values of a pair. */
  private Optional<Located> called(Pair pair) {
    HloInstruction before = source(pair.before());
    HloInstruction after = source(pair.after());
    List<Literal> operands = before.operands().stream().map(first.values::of).toList();
    boolean isCalled = before.op() instanceof While || before.op() instanceof Conditional;
    if (!isCalled || !before.op().equals(after.op())) {
      return Optional.empty();
    }
    Optional<Literal> inSecond = run(second.part(after.operands()));
    Literal inFirst = operands.size() == 1 ? operands.get(0) : Literal.tuple(operands);
    if (!inSecond.equals(Optional.of(inFirst))) {
      return Optional.empty();
    }
    if (before.op() instanceof Conditional op) {
      int chosen = op.branch(operands.get(0).longAt(0), before.called().size());
      return inner(before, after, chosen, operands.get(chosen + 1), ", branch " + chosen);
    }
    return iterated(before, after, operands.get(0));
  }

  private static HloInstruction source(HloInstruction part) {
    return part.op() instanceof GetTupleElement ? source(part.operands().get(0)) : part;
  }

  private Optional<Located> iterated(HloInstruction before, HloInstruction after, Literal initial) {
    Literal state = initial;
    for (int i = 0; i < MAX_ITERATIONS; i++) {
      String at = ", iteration " + i + ", ";
      Optional<Located> found = inner(before, after, 0, state, at + "condition");
      Optional<Literal> holds = run(Locator.program(before.called().get(0), List.of(state)));
      if (found.isPresent() || holds.filter(each -> each.bitsAt(0) != 0).isEmpty()) {
        return found;
      }
      found = inner(before, after, 1, state, at + "body");
      Optional<Literal> next = run(Locator.program(before.called().get(1), List.of(state)));
      if (found.isPresent() || next.isEmpty()) {
        return found;
      }
      state = next.get();
    }
    return Optional.empty();
  }

  /** Searches a computation that two instructions call if its results differ. */
  private Optional<Located> inner(
      HloInstruction before, HloInstruction after, int number, Literal argument, String at) {
    Program one = Locator.program(before.called().get(number), List.of(argument));
    Program other = Locator.program(after.called().get(number), List.of(argument));
    return run(one).equals(run(other)) || !differ(one, other)
        ? Optional.empty()
        : locate(one, other, profile, options, listener, Locator.inside(within, after.name() + at));
  }
}
