package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.hash.Hashing;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.Runner;
import org.hlo4j.check.part.Halving;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.engine.OutsideDeadline;

/** One search for a smaller program. */
final class Search {
  private static final int MAX_ROUNDS = 6;

  private static final PrintOptions WITHOUT_LITERALS =
      PrintOptions.FULL.without(PrintOptions.Part.LARGE_CONSTANTS);

  private final Shrinker.Task task;
  private final Optional<Verifier> verifier;
  private final long end;
  private final Set<Object> seen = new HashSet<>();
  private Program smallest;
  private Known known;
  private int checks;

  Search(Program program, Shrinker.Task task) {
    this.task = task;
    this.smallest = program;
    this.known = new Known(program);
    this.seen.add(key(program));
    this.end = System.nanoTime() + task.time().toNanos();
    this.verifier =
        Stream.of(Verifier.strict(), Verifier.lenient())
            .filter(each -> each.findings(program.module()).isEmpty())
            .findFirst();
  }

  /** Returns the smallest program; the check must hold for the first. */
  Program shrunk() {
    plain();
    reduce(List.of(Reductions.DEAD));
    cut();
    Program before;
    int round = 0;
    do {
      before = smallest;
      oneDevice();
      calls();
      simplify();
      round++;
    } while (!before.equals(smallest) && round < MAX_ROUNDS && !isLate());
    plain();
    return smallest;
  }

  boolean isLate() {
    return System.nanoTime() - end > 0;
  }

  /** Returns whether the check holds for a program, each time that it is asked. */
  boolean holds(Program program) {
    for (int i = 0; i < task.times(); i++) {
      checks++;
      if (!answer(program)) {
        return false;
      }
    }
    return true;
  }

  /** Returns an answer of the check; no if it comes too late. */
  private boolean answer(Program program) {
    Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    try {
      return OutsideDeadline.within(Optional.of(left), () -> task.check().test(program))
          && !isLate();
    } catch (HloException stopped) {
      if (stopped.kind() != HloException.Kind.LIMIT || !isLate()) {
        throw stopped;
      }
      return false;
    }
  }

  /** Takes a candidate, if it can be made, is valid, not seen before, and the check holds. */
  private boolean keep(String reduction, Supplier<Program> candidate) {
    Optional<Program> kept =
        Optional.of(candidate)
            .filter(any -> !isLate())
            .flatMap(Runner::unlessRefused)
            .filter(this::isValid)
            .filter(program -> seen.add(key(program)) && holds(program));
    kept.ifPresent(program -> {
      smallest = program;
      known = new Known(program);
      task.listener().accept(new Shrinker.Progress(reduction, program, checks));
    });
    return kept.isPresent();
  }

  private boolean isValid(Program candidate) {
    return verifier.map(each -> each.findings(candidate.module()).isEmpty()).orElse(true);
  }

  /** Returns what no two programs of a search have in common, but by chance. */
  private static Object key(Program program) {
    HloModule module = program.module();
    Stream<Op> constants =
        module.instructions().map(HloInstruction::op).filter(op -> op instanceof Constant);
    return ImmutableList.of(
        Hashing.sha256().hashUnencodedChars(Printer.print(module, WITHOUT_LITERALS)),
        constants.toList().hashCode(),
        program.arguments().hashCode());
  }

  /** Makes reductions, and returns whether one has made the program smaller. */
  private boolean reduce(List<Reduction> reductions) {
    boolean isSmaller = false;
    for (Reduction each : reductions) {
      isSmaller |=
          !isLate() && reduce(each.name(), each.edits(known), (some, rest) -> edited(some));
    }
    return isSmaller;
  }

  private <T> boolean reduce(
      String name, List<T> parts, BiFunction<List<T>, ImmutableList<T>, Program> without) {
    return Halving.left(parts, (some, rest) -> keep(name, () -> without.apply(some, rest))).size()
        < parts.size();
  }

  /** Returns the program with those changes whose instructions are still there. */
  private Program edited(List<Rewrite.Edit> edits) {
    return Rewrite.of(smallest, edits, ImmutableList.of());
  }

  /** Returns the program with other results. */
  private Program returning(List<String> results) {
    return Rewrite.of(smallest, ImmutableList.of(), results);
  }

  // Large parts of the graph.

  /** Removes outputs and large parts of the entry, then single instructions. */
  private void cut() {
    outputs();
    reduce(List.of(Reductions.VALUES));
    outputs();
  }

  /** Returns as few results as show it, after as few of the first instructions. */
  private void outputs() {
    removeOutputs();
    ImmutableList<String> all = names(entry().filter(each -> !Known.isGiven(each)));
    Halving.least(
        0,
        all.size(),
        count ->
            keep("first instructions", () -> after(ImmutableSet.copyOf(all.subList(0, count)))));
    removeOutputs();
  }

  private void removeOutputs() {
    HloInstruction root = smallest.module().entry().root();
    if (root.op() instanceof Tuple) {
      reduce("outputs", names(root.operands().stream()), (some, rest) -> returning(rest));
    }
  }

  private static ImmutableList<String> names(Stream<HloInstruction> instructions) {
    return instructions.map(HloInstruction::name).distinct().collect(toImmutableList());
  }

  /** Returns what the other instructions need of the first. */
  private Program after(Set<String> first) {
    return returning(
        names(
            entry()
                .filter(each -> !first.contains(each.name()))
                .flatMap(each -> each.operands().stream())
                .filter(each -> first.contains(each.name()))));
  }

  private Stream<HloInstruction> entry() {
    return smallest.module().entry().instructions().stream();
  }

  // Details.

  private void calls() {
    boolean isInlined = reduce(Reductions.INLINING);
    if (arrays() || isInlined) {
      reduce(List.of(Reductions.DEAD));
      cut();
    }
  }

  /** Removes some of the arrays that ops work on together, the last ones first. */
  private boolean arrays() {
    ImmutableSet<Integer> numbers =
        smallest
            .module()
            .instructions()
            .flatMap(each -> Together.removable(each).stream())
            .collect(toImmutableSet());
    return reduce(
        "arrays",
        ImmutableList.sortedCopyOf(Comparator.reverseOrder(), numbers),
        (some, rest) -> edited(Reductions.without(ImmutableSet.copyOf(some)).edits(known)));
  }

  private void simplify() {
    reduce(Reductions.SIMPLER);
    outputs();
    if (reduce(Reductions.ATTRIBUTES)) {
      cut();
    }
    Resizing.sizes(smallest).forEach(this::resize);
    reduce(Simpler.BITS);
  }

  private void resize(long size) {
    Resizing.ofSize(size, smallest).stream()
        .filter(each ->
            keep("sizes", () -> edited(Simpler.reduction("sizes", each::attribute).edits(known))))
        .findFirst()
        .ifPresent(each -> resize(each.to()));
  }

  /** Removes what does not change values, all at once or one kind after the other. */
  private void plain() {
    reduce(
        "metadata",
        Plain.PARTS,
        (some, rest) -> {
          Program plain = smallest;
          for (UnaryOperator<Program> each : some) {
            plain = each.apply(plain);
          }
          return plain;
        });
    keep("names", () -> Plain.renamed(smallest));
  }

  /** Takes what a single device runs, where each has arguments of its own. */
  private void oneDevice() {
    boolean isDone = !smallest.isOfEachDevice();
    for (int i = 0; !isDone && i < smallest.deviceCount(); i++) {
      int device = i;
      isDone = keep("one device", () -> Plain.onDevice(smallest, device));
    }
  }
}
