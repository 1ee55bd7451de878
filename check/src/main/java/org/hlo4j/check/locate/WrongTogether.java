package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Sets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.check.locate.Locator.Located;
import org.hlo4j.check.part.Halving;
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
    return bad == tried.size() ? Optional.empty() : Optional.of(cut(tried.get(bad)));
  }

  /** Gives the values of instructions, of all, halves, quarters …, while the root is wrong. */
  private Located cut(HloInstruction root) {
    ImmutableList<HloInstruction> others = others(root, given);
    Function<List<HloInstruction>, Given> without =
        rest -> given.and(Sets.difference(Set.copyOf(others), Set.copyOf(rest)));
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
