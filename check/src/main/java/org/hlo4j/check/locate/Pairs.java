package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Iterables;
import com.google.common.collect.Maps;
import com.google.common.collect.Streams;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
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
 * @param first what is given of one of the programs
 * @param second the same pairs of the other, with the values of the first
 * @param entries the difference of their entries
 * @param trials tries the reference
 * @param within what calls the programs
 * @param isOne whether they are for one device
 * @param least the verdict from which on two values are said to differ
 */
record Pairs(
    Given first,
    Given second,
    ModuleDiff.ComputationDiff entries,
    Trials trials,
    ImmutableList<String> within,
    boolean isOne,
    Verdict least) {

  static Optional<Located> locate(
      Program before, Program after, Trials trials, ImmutableList<String> within) {
    ModuleDiff.ComputationDiff entries =
        ModuleDiff.of(flat(before), flat(after)).computations().get(0);
    long start = System.nanoTime();
    HloModule flat =
        HloModule.create("before", entries.first())
            .withText(before.module().attributes(), before.module().stackFrames());
    ImmutableList<Values> ofDevices =
        Values.of(
            before.with(flat, before.arguments()),
            ImmutableSet.copyOf(entries.first().instructions())::contains,
            trials.options());
    Trials limited = trials.ofReference(Runner.withDeadlineSince(start, trials.options()));
    boolean isOne = before.deviceCount() == 1;
    return Stream.of(Verdict.WRONG, Verdict.UNSPECIFIED) // as by a reducer that is no monoid
        .flatMap(least ->
            IntStream.range(0, ofDevices.size())
                .mapToObj(device ->
                    new Pairs(
                            new Given(ofDevices.get(device), new HashSet<>()),
                            new Given(new Values(Long.MAX_VALUE), new HashSet<>()),
                            entries,
                            limited,
                            isOne ? within : Locator.inside(within, "device " + device),
                            isOne,
                            least)
                        .search())
                .flatMap(Optional::stream))
        .findFirst();
  }

  private static HloModule flat(Program program) {
    return CallInliner.inlined(program.module(), "..");
  }

  private record Pair(HloInstruction before, HloInstruction after) {}

  /** Pairs instructions as the difference does, and what it leaves by name. */
  private ImmutableList<Pair> pairs() {
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
    return pair.before().shape() instanceof Shape.Array before
        && before.compatible(pair.after().shape())
        && first.values().has(pair.before());
  }

  /**
   * Looks at all pairs in order. One that differs is no longer given, since two instructions may
   * have been taken for a pair that are none: then what uses them agrees all the same. It is guilty
   * if that differs, too.
   */
  private Optional<Located> search() {
    ImmutableList<Pair> pairs = pairs();
    Streams.forEachPair(
        entries.first().parameters().stream(),
        entries.second().parameters().stream(),
        (one, other) -> give(new Pair(one, other)));
    pairs.forEach(this::give);
    Pair result = new Pair(entries.first().root(), entries.second().root());
    ImmutableList<Pair> all = ImmutableList.<Pair>builder().addAll(pairs).add(result).build();
    ImmutableMap<HloInstruction, Pair> computed =
        Maps.uniqueIndex(
            Iterables.filter(
                pairs, each -> !(each.after().op() instanceof Parameter) && isAlone(each)),
            Pair::after);
    return trials
        .differing(computed.keySet().asList(), second, "pair %d of %d")
        .map(each -> requireNonNull(computed.get(each.at())))
        .filter(pair -> differ(pair) && isGuilty(pair, all))
        .findFirst()
        .or(() -> Optional.of(result).filter(this::differ))
        .map(this::found);
  }

  private boolean isGuilty(Pair pair, ImmutableList<Pair> all) {
    first.instructions().remove(pair.before());
    second.instructions().remove(pair.after());
    return pair.equals(all.getLast())
        || all.stream()
            .filter(each ->
                !each.equals(pair)
                    && (first.computes(each.before(), pair.before())
                        || second.computes(each.after(), pair.after())))
            .anyMatch(each -> !isAlone(each) || differ(each));
  }

  private void give(Pair pair) {
    first.instructions().add(pair.before());
    second.instructions().add(pair.after());
    second.values().put(pair.after(), first.values().of(pair.before()));
  }

  /** Returns whether a device can compute both of a pair without others. */
  private boolean isAlone(Pair pair) {
    return isOne
        || !(DeviceScope.meetOthers(first.part(pair.before()).module())
            || DeviceScope.meetOthers(second.part(pair.after()).module()));
  }

  private boolean differ(Pair pair) {
    return isAlone(pair) && differ(first.part(pair.before()), second.part(pair.after()));
  }

  /** Returns whether two programs do not give the same bits, nor what roundings explain. */
  private boolean differ(Program before, Program after) {
    return Runner.answered(
        () -> trials.comparison(before, after).verdict().compareTo(least) >= 0,
        no -> no.kind() == HloException.Kind.LIMIT); // as a loop that has come to have no end
  }

  private Located found(Pair pair) {
    Program before = first.part(pair.before());
    Program after = second.part(pair.after());
    return called(pair)
        .orElseGet(() -> {
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
    List<Literal> operands = before.operands().stream().map(first.values()::of).toList();
    Literal all = operands.size() == 1 ? operands.get(0) : Literal.tuple(operands);
    return trials.answer(second.part(after.operands())).is(all)
        ? CalledRun.of(before, operands, trials.options())
            .flatMap(run ->
                inner(run.program(before), run.program(after), after.name() + run.where()).stream())
            .findFirst()
        : Optional.empty();
  }

  private static HloInstruction source(HloInstruction part) {
    return part.op() instanceof GetTupleElement ? source(part.operands().get(0)) : part;
  }

  /** Searches what two instructions call if its results differ. */
  private Optional<Located> inner(Program before, Program after, String where) {
    return differ(before, after)
        ? locate(before, after, trials, Locator.inside(within, where))
        : Optional.empty();
  }
}
