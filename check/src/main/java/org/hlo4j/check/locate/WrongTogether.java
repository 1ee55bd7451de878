package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.part.Halving;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A search for instructions of a computation that are wrong only together.
 *
 * @param trials what the system makes of them
 * @param tried the instructions, in order
 * @param given what is given, with the values of all, as the reference computes them
 * @param within where the computation is
 */
record WrongTogether(
    Trials trials, List<HloInstruction> tried, Given given, ImmutableList<String> within) {
  /** How many values the system is asked for in one run of the whole program. */
  private static final int MAX_ROOTS = 2_000;

  /** How many instructions before another one may be fused with it. */
  private static final int MAX_DEPTH = 32;

  /**
   * Searches for instructions that are wrong only together. The system computes all values at once.
   * Where one does not follow from the values that the system has for the instructions before it,
   * these and it are a candidate.
   */
  Optional<Located> inconsistent() {
    Values own = new Values(Long.MAX_VALUE);
    given.instructions().forEach(each -> own.put(each, given.values().of(each)));
    List<HloInstruction> roots =
        tried.stream()
            .flatMap(each -> Stream.concat(each.operands().stream(), Stream.of(each)))
            .filter(each -> !own.has(each))
            .distinct()
            .toList();
    for (List<HloInstruction> some : Lists.partition(roots, MAX_ROOTS)) {
      Optional<Literal> all = trials.answer(given.part(some)).value();
      if (all.isEmpty()) {
        return Optional.empty();
      }
      for (int i = 0; i < some.size(); i++) {
        own.put(some.get(i), some.size() == 1 ? all.get() : all.get().element(i));
      }
    }
    Trials reference = trials.ofReference(trials.options());
    return reference
        .differing(tried, Given.all(own), "instruction %d of %d after the others")
        .filter(each -> !follows(each.at(), own, reference))
        .flatMap(each -> grown(each.at()).stream())
        .findFirst();
  }

  /** Returns whether a value is that of an instruction, or of it and some before it. */
  private boolean follows(HloInstruction root, Values own, Trials reference) {
    return near(root, new Given(own, Set.of()))
        .map(each -> each.part(root))
        .anyMatch(part -> {
          Optional<Literal> want = reference.answer(part).value();
          return want.isEmpty()
              || trials.verdict(own.of(root), () -> part, want.get()) != Verdict.WRONG;
        });
  }

  /** Returns what may be given to an instruction and more and more before it. */
  private static Stream<Given> near(HloInstruction root, Given known) {
    return IntStream.iterate(0, depth -> depth <= MAX_DEPTH, depth -> Math.max(1, 2 * depth))
        .mapToObj(depth -> known.and(beyond(root, depth, known.values())));
  }

  /** Returns what is given when an instruction is computed with those at most so far before it. */
  private static Set<HloInstruction> beyond(HloInstruction root, int depth, Values values) {
    Set<HloInstruction> computed = new HashSet<>(Set.of(root));
    List<HloInstruction> last = List.of(root);
    Set<HloInstruction> given = new HashSet<>(root.operands());
    for (int i = 0; i < depth; i++) {
      last = last.stream().flatMap(each -> each.operands().stream()).distinct().toList();
      computed.addAll(last);
      last.forEach(each -> given.addAll(each.operands()));
    }
    given.removeIf(each -> computed.contains(each) || !values.has(each));
    return given;
  }

  /** Returns a candidate with as few instructions before it as make it wrong; empty if none do. */
  private Optional<Located> grown(HloInstruction root) {
    return near(root, given)
        .skip(1)
        .filter(each -> isWrong(root, each))
        .findFirst()
        .map(each -> cut(root, each));
  }

  /** Returns whether an instruction is wrong after all before it that is not given. */
  boolean isWrong(HloInstruction root) {
    return isWrong(root, given);
  }

  private boolean isWrong(HloInstruction root, Given known) {
    return trials.isWrong(known.part(root), known.values().of(root));
  }

  /** Returns an instruction that is wrong after one that is not, near the first. */
  Optional<Located> bisected() {
    int bad =
        Halving.least(
            -1,
            tried.size(),
            i -> {
              trials
                  .listener()
                  .accept("instruction " + i + " of " + tried.size() + " after the others");
              return isWrong(tried.get(i));
            });
    return bad == tried.size() ? Optional.empty() : Optional.of(cut(tried.get(bad), given));
  }

  /** Gives the values of instructions, of all, halves, quarters …, while the root is wrong. */
  private Located cut(HloInstruction root, Given first) {
    ImmutableList<HloInstruction> others = others(root, first);
    Function<List<HloInstruction>, Given> without =
        rest -> first.and(Sets.difference(Set.copyOf(others), Set.copyOf(rest)));
    Given most =
        without.apply(Halving.left(others, (group, rest) -> isWrong(root, without.apply(rest))));
    return trials.located(
        root, within, others(root, most), most.part(root), given.values().of(root));
  }

  /** Returns what is computed for a root, but it, in order. */
  private ImmutableList<HloInstruction> others(HloInstruction root, Given known) {
    Set<HloInstruction> needed = new HashSet<>(known.needed(List.of(root)));
    needed.remove(root);
    return tried.stream()
        .filter(each -> needed.contains(each) && !known.has(each))
        .collect(toImmutableList());
  }
}
