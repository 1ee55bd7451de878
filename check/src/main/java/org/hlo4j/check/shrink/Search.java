package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.Printer;

/** One search for a smaller program. */
final class Search {
  private static final int MAX_ROUNDS = 6;

  /** Programs of this size are bisected; smaller ones are tried instruction by instruction. */
  private static final int FEW = 8;

  /** The most values of an array that are set to zero one by one. */
  private static final int MAX_SINGLE_VALUES = 64;

  private static final int MAX_KNOWN_TEXT = 20_000;

  private final Predicate<Program> check;
  private final Shrinker.Limits limits;
  private final Consumer<Shrinker.Progress> listener;
  private final Optional<Verifier> verifier;
  private final Alarm alarm;
  private final Set<String> refused = new HashSet<>();
  private Program smallest;
  private int checks = 1;

  Search(
      Program program,
      Predicate<Program> check,
      Shrinker.Limits limits,
      Alarm alarm,
      Consumer<Shrinker.Progress> listener) {
    this.smallest = program;
    this.check = check;
    this.limits = limits;
    this.listener = listener;
    this.alarm = alarm;
    this.verifier =
        Stream.of(Verifier.strict(), Verifier.lenient())
            .filter(each -> each.findings(program.module()).isEmpty())
            .findFirst();
  }

  Program smallest() {
    return smallest;
  }

  void run() {
    plain();
    keep("names", Optional.of(Plain.renamed(smallest)));
    reduce(Reductions.DEAD);
    cut();
    String before;
    int round = 0;
    do {
      before = key(smallest);
      oneDevice();
      calls();
      simplify();
      round++;
    } while (!before.equals(key(smallest)) && round < MAX_ROUNDS && !isOver());
    plain();
    keep("names", Optional.of(Plain.renamed(smallest)));
  }

  /** Takes what a single device runs, where each has arguments of its own. */
  private void oneDevice() {
    boolean isDone = !smallest.isOfEachDevice();
    for (int device = 0; !isDone && device < smallest.deviceCount(); device++) {
      isDone = keep("one device", Optional.of(Plain.onDevice(smallest, device)));
    }
  }

  private boolean isOver() {
    return checks >= limits.checks() || alarm.isOver();
  }

  /** Takes a candidate, if it is valid, not refused before, and the check holds. */
  private boolean keep(String reduction, Optional<Program> candidate) {
    if (candidate.isEmpty() || isOver() || !isValid(candidate.get())) {
      return false;
    }
    Program program = candidate.get();
    String key = key(program);
    if (refused.contains(key)) {
      return false;
    }
    for (int i = 0; i < limits.times(); i++) {
      checks++;
      if (!alarm.test(check, program)) {
        refused.add(key);
        return false;
      }
    }
    smallest = program;
    listener.accept(new Shrinker.Progress(reduction, program, checks));
    return true;
  }

  private boolean isValid(Program candidate) {
    return verifier.map(each -> each.findings(candidate.module()).isEmpty()).orElse(true);
  }

  /** Returns a text that only the same program has; a new one if that would be long. */
  private static String key(Program program) {
    long size =
        Shrinker.size(program) * 50L
            + program.arguments().stream().mapToLong(Search::elements).sum()
            + constants(program).mapToLong(Search::elements).sum();
    return size > MAX_KNOWN_TEXT
        ? "program " + System.identityHashCode(program)
        : Printer.print(program.module())
            + program.arguments().stream().map(Literal::toHloText).collect(Collectors.joining());
  }

  private static long elements(Literal literal) {
    return literal.shape() instanceof Shape.Array array
        ? array.elementCount()
        : literal.elements().stream().mapToLong(Search::elements).sum();
  }

  private static Stream<Literal> constants(Program program) {
    return program
        .module()
        .instructions()
        .flatMap(each -> each.op() instanceof Constant c ? Stream.of(c.literal()) : Stream.of());
  }

  // Groups of edits: all, halves, quarters ... single ones.

  private boolean reduce(Reduction reduction) {
    return !isOver()
        && reduce(
            reduction.name(),
            reduction.edits().apply(smallest, values()),
            group -> Rewrite.of(smallest, present(group)));
  }

  private Values values() {
    return new Values(smallest, limits.seed());
  }

  private List<Edit> present(List<Edit> edits) {
    Set<String> names =
        smallest.module().instructions().map(HloInstruction::name).collect(Collectors.toSet());
    return edits.stream().filter(each -> names.contains(each.at())).toList();
  }

  private <T> boolean reduce(
      String name, List<T> parts, Function<List<T>, Optional<Program>> without) {
    boolean isSmaller = false;
    List<T> left = parts;
    for (int size = parts.size(); size > 0 && !isOver(); size = size == 1 ? 0 : (size + 1) / 2) {
      List<T> next = new ArrayList<>();
      for (List<T> group : Lists.partition(left, size)) {
        if (keep(name, without.apply(group))) {
          isSmaller = true;
        } else {
          next.addAll(group);
        }
      }
      left = next;
    }
    return isSmaller;
  }

  // Large parts of the graph.

  /** Removes outputs and large parts of the entry, then single instructions. */
  private void cut() {
    outputs();
    bisect();
    outputs();
    reduce(Reductions.VALUES);
    outputs();
    earlierRoot();
  }

  private void bisect() {
    while (computed().size() > FEW) {
      ImmutableList<HloInstruction> all = computed();
      int middle = all.size() / 2;
      if (!keep("second half", secondHalf(all.subList(0, middle)))
          && !keep("first half", firstHalf(all.subList(0, middle)))) {
        return;
      }
      outputs();
    }
  }

  private ImmutableList<HloInstruction> computed() {
    return smallest.module().entry().instructions().stream()
        .filter(each -> !Reductions.isGiven(each))
        .collect(toImmutableList());
  }

  private Optional<Program> secondHalf(List<HloInstruction> first) {
    Values values = values();
    return Rewrite.of(
        smallest, first.stream().flatMap(each -> Reductions.value(each, values).stream()).toList());
  }

  /** Returns the program that returns what the other instructions need of these. */
  private Optional<Program> firstHalf(List<HloInstruction> first) {
    Set<HloInstruction> own = new HashSet<>(first);
    ImmutableList<String> results =
        smallest.module().entry().instructions().stream()
            .filter(each -> !own.contains(each))
            .flatMap(each -> each.operands().stream())
            .filter(own::contains)
            .distinct()
            .map(HloInstruction::name)
            .collect(toImmutableList());
    return returning(results);
  }

  /** Removes results. */
  private void outputs() {
    HloInstruction root = smallest.module().entry().root();
    if (!(root.op() instanceof Tuple) || root.operands().isEmpty()) {
      return;
    }
    reduce(
        "outputs",
        root.operands().stream().map(HloInstruction::name).toList(),
        group -> returning(results(group)));
  }

  /** Returns the program with other results; empty if there are none. */
  private Optional<Program> returning(ImmutableList<String> results) {
    return results.isEmpty() ? Optional.empty() : Rewrite.of(smallest, ImmutableList.of(), results);
  }

  private ImmutableList<String> results(List<String> without) {
    HloInstruction root = smallest.module().entry().root();
    return root.op() instanceof Tuple
        ? root.operands().stream()
            .map(HloInstruction::name)
            .filter(each -> !without.contains(each))
            .collect(toImmutableList())
        : ImmutableList.of();
  }

  /** Returns the value of an earlier instruction, the earliest for which the check holds. */
  private void earlierRoot() {
    for (HloInstruction each : computed()) {
      if (each == smallest.module().entry().root()) {
        return;
      }
      if (keep("earlier root", returning(ImmutableList.of(each.name())))) {
        return;
      }
    }
  }

  // Details.

  private void calls() {
    boolean isInlined = reduceAll(Reductions.inlining());
    isInlined |= arrays();
    isInlined |= reduceAll(ImmutableList.of(Reductions.TUPLE_PARAMETERS, Reductions.TUPLES));
    if (isInlined) {
      cut();
    }
  }

  private boolean reduceAll(List<Reduction> reductions) {
    boolean isSmaller = false;
    for (Reduction each : reductions) {
      isSmaller |= reduce(each);
    }
    return isSmaller;
  }

  /** Removes some of the arrays that an op works on together. */
  private boolean arrays() {
    boolean isSmaller =
        reduceAll(ImmutableList.of(Reductions.UNCHANGED_STATE, Reductions.SINGLE_STATE));
    int last =
        smallest
            .module()
            .instructions()
            .flatMap(each -> Together.removable(each).stream())
            .reduce(-1, Math::max);
    for (int i = last; i >= 0; i--) {
      isSmaller |= reduce(Reductions.element(i));
    }
    return isSmaller;
  }

  private void simplify() {
    reduceAll(Reductions.SIMPLER);
    earlierRoot();
    reduceAll(Reductions.ATTRIBUTES);
    if (reduce(Reductions.ONE_GROUP)) {
      cut();
    }
    resize();
    if (reduce(Reductions.SCALARS)) {
      cut();
    }
    reduce(Reductions.SAME);
    reduceAll(Reductions.LITERALS);
    smallest.module().entry().parameters().stream()
        .map(HloInstruction::name)
        .forEach(this::elements);
  }

  private void resize() {
    for (long size : Resizing.sizes(smallest)) {
      long current = size;
      for (boolean isSmaller = true; isSmaller && !isOver(); ) {
        isSmaller = false;
        for (long to : Resizing.smaller(current)) {
          if (keep("sizes", Rewrite.of(smallest, new Resizing(current, to).edits(smallest)))) {
            current = to;
            isSmaller = true;
            break;
          }
        }
      }
    }
  }

  /** Sets elements of an argument to zero, unless all are alike. */
  private void elements(String parameter) {
    Literal value = Rewrite.arguments(smallest).get(parameter);
    if (value == null
        || !(value.shape() instanceof Shape.Array) // nor one that is a tuple of the devices'
        || SimplerLiterals.alike(value).equals(value)) {
      return;
    }
    ImmutableList<Integer> nonzero = SimplerLiterals.nonzero(value);
    int group = Math.max(1, nonzero.size() / MAX_SINGLE_VALUES);
    reduce("zero elements", Lists.partition(nonzero, group), groups -> cleared(parameter, groups));
  }

  private Optional<Program> cleared(String parameter, List<List<Integer>> groups) {
    Literal now = Rewrite.arguments(smallest).get(parameter);
    return now == null
        ? Optional.empty()
        : Rewrite.of(
            smallest,
            ImmutableList.of(
                new Edit(
                    parameter,
                    Reductions.put(
                        SimplerLiterals.cleared(
                            now, groups.stream().flatMap(List::stream).toList())))));
  }

  /** Removes what does not change values, all at once or one kind after the other. */
  private void plain() {
    if (!keep("metadata", Optional.of(Plain.of(smallest, EnumSet.allOf(Plain.Part.class))))) {
      for (Plain.Part part : Plain.Part.values()) {
        keep("metadata", Optional.of(Plain.of(smallest, EnumSet.of(part))));
      }
    }
  }
}
