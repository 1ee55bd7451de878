package org.hlo4j.check.shrink;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A way to make a program simpler at several instructions, all at once or one by one.
 *
 * @param name what it does, for people
 * @param rule gives what takes the place of an instruction; empty for those that stay
 */
record Reduction(String name, BiFunction<Known, HloInstruction, Optional<Rewrite.Change>> rule) {
  /** Creates a reduction by one change, of the instructions that suit it. */
  Reduction(String name, BiPredicate<Known, HloInstruction> suits, Rewrite.Change change) {
    this(name, (known, at) -> Optional.of(change).filter(any -> suits.test(known, at)));
  }

  /** Returns where it applies, the last instructions of the entry first. */
  ImmutableList<Rewrite.Edit> edits(Known known) {
    return known
        .program()
        .module()
        .instructions()
        .flatMap(
            at -> rule.apply(known, at).map(change -> new Rewrite.Edit(at.name(), change)).stream())
        .collect(toImmutableList())
        .reverse();
  }
}
