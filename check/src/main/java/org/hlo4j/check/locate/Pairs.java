package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import com.google.common.collect.Streams;
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
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.check.part.Values;
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

/**
 * A search for the instructions at which two programs that should compute the same part. They are
 * paired as {@link ModuleDiff} does, without calls and fusions, or else by their names; the
 * reference computes both of a pair from the values that the first program has for the pairs before
 * it. Where loops or conditionals differ, the search goes on in the computations that they call.
 *
 * @param first one of the programs
 * @param second the other
 * @param trials the reference
 * @param listener receives a few words for people when the search goes on
 * @param within what calls the programs
 * @param least the verdict from which on two values are said to differ
 */
record Pairs(
    Side first,
    Side second,
    Trials trials,
    Consumer<String> listener,
    ImmutableList<String> within,
    Verdict least) {

  static Optional<Located> locate(
      Program before,
      Program after,
      Trials trials,
      Consumer<String> listener,
      ImmutableList<String> within) {
    ModuleDiff.ComputationDiff entries =
        ModuleDiff.of(flat(before), flat(after)).computations().get(0);
    long start = System.nanoTime();
    Program flat = program(entries.first(), before);
    boolean isOne = before.deviceCount() == 1;
    ImmutableList<Values> ofDevices =
        isOne
            ? ImmutableList.of(Values.of(flat, trials.options()))
            : Values.ofDevices(flat, trials.options());
    Trials limited = trials.with(Runner.withDeadlineSince(start, trials.options()));
    return Stream.of(Verdict.WRONG, Verdict.UNSPECIFIED) // as by a reducer that is no monoid
        .flatMap(least ->
            IntStream.range(0, ofDevices.size())
                .mapToObj(device ->
                    new Pairs(
                            new Side(entries.first(), ofDevices.get(device), isOne),
                            new Side(entries.second(), new Values(Long.MAX_VALUE), isOne),
                            limited,
                            listener,
                            isOne ? within : Locator.inside(within, "device " + device),
                            least)
                        .search(entries))
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

  /**
   * One of the two programs, with the values of the first at those pairs that are given.
   *
   * @param given the instructions that are given
   * @param isOne whether it is for one device
   */
  record Side(HloComputation entry, Values values, boolean isOne, Set<HloInstruction> given) {
    Side(HloComputation entry, Values values, boolean isOne) {
      this(entry, values, isOne, new HashSet<>());
    }

    Program part(HloInstruction... roots) {
      return ProgramPart.of(List.of(roots), given, values);
    }

    /** Returns whether one device can compute an instruction from what is given. */
    boolean isAlone(HloInstruction root) {
      return isOne || !DeviceScope.meetOthers(part(root).module());
    }

    /** Returns what is computed from an instruction, as far as to what is given. */
    Set<HloInstruction> reached(HloInstruction from) {
      Set<HloInstruction> reached = new HashSet<>();
      for (HloInstruction each : entry.instructions()) {
        if (each.operands().stream()
            .anyMatch(it -> it == from || (reached.contains(it) && !given.contains(it)))) {
          reached.add(each);
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
    Map<String, HloInstruction> added = Maps.uniqueIndex(entries.added(), HloInstruction::name);
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
    ImmutableList<Pair> all = ImmutableList.<Pair>builder().addAll(pairs).add(result).build();
    List<Pair> computed =
        pairs.stream().filter(each -> !(each.after().op() instanceof Parameter)).toList();
    int done = 0;
    for (List<Pair> some :
        ProgramPart.chunks(computed, each -> second.values.bytesAround(each.after()))) {
      listener.accept("pair " + done + " of " + pairs.size());
      for (Pair pair : differing(some)) {
        if (differ(pair) && isGuilty(pair, all)) {
          return Optional.of(found(pair));
        }
      }
      done += some.size();
    }
    return differ(result) ? Optional.of(found(result)) : Optional.empty();
  }

  private boolean isGuilty(Pair pair, ImmutableList<Pair> all) {
    first.given.remove(pair.before());
    second.given.remove(pair.after());
    Set<HloInstruction> inFirst = first.reached(pair.before());
    Set<HloInstruction> inSecond = second.reached(pair.after());
    return pair.equals(all.getLast())
        || all.stream()
            .filter(each -> inFirst.contains(each.before()) || inSecond.contains(each.after()))
            .anyMatch(each -> !isAlone(each) || differ(each));
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
    Optional<Literal> values =
        trials.reference(
            second.part(pairs.stream().map(Pair::after).toArray(HloInstruction[]::new)));
    return IntStream.range(0, pairs.size())
        .filter(i ->
            values.isEmpty()
                || !(pairs.size() == 1 ? values.get() : values.get().element(i))
                    .equals(first.values.of(pairs.get(i).before())))
        .mapToObj(pairs::get)
        .toList();
  }

  /** Returns whether a device can compute both of a pair without others. */
  private boolean isAlone(Pair pair) {
    return first.isAlone(pair.before()) && second.isAlone(pair.after());
  }

  private boolean differ(Pair pair) {
    Program after = second.part(pair.after());
    return isAlone(pair)
        && !trials.reference(after).filter(first.values.of(pair.before())::equals).isPresent()
        && differ(first.part(pair.before()), after);
  }

  private boolean differ(Program before, Program after) {
    return Runner.answered(
        () -> trials.comparison(before, after).verdict().compareTo(least) >= 0,
        no -> no.kind() == HloException.Kind.LIMIT); // as a loop that has come to have no end
  }

  private Located found(Pair pair) {
    return called(pair)
        .orElseGet(() -> {
          Program before = first.part(pair.before());
          Program after = second.part(pair.after());
          Optional<Comparison> comparison =
              Runner.unlessRefused(() -> trials.comparison(before, after));
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
    boolean isCalled = before.op() instanceof While || before.op() instanceof Conditional;
    if (!isCalled || !before.op().equals(after.op())) {
      return Optional.empty();
    }
    List<Literal> operands = before.operands().stream().map(first.values::of).toList();
    HloInstruction[] ofAfter = after.operands().toArray(HloInstruction[]::new);
    Literal all = operands.size() == 1 ? operands.get(0) : Literal.tuple(operands);
    return trials.reference(second.part(ofAfter)).equals(Optional.of(all))
        ? Calls.search(
            before,
            operands,
            trials.options(),
            (number, arguments, where) ->
                inner(
                    Calls.program(before.called().get(number), arguments),
                    Calls.program(after.called().get(number), arguments),
                    after.name() + where))
        : Optional.empty();
  }

  private static HloInstruction source(HloInstruction part) {
    return part.op() instanceof GetTupleElement ? source(part.operands().get(0)) : part;
  }

  /** Searches what two instructions call if its results differ. */
  private Optional<Located> inner(Program before, Program after, String where) {
    return trials.reference(before).equals(trials.reference(after)) || !differ(before, after)
        ? Optional.empty()
        : locate(before, after, trials, listener, Locator.inside(within, where));
  }
}
