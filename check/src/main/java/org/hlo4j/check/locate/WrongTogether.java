package org.hlo4j.check.locate;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static java.util.stream.Collectors.toSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Lists;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.part.Halving;
import org.hlo4j.check.part.Values;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * A search for instructions of a computation that are wrong only together.
 *
 * @param trials what the system makes of them
 * @param tried the instructions, in order
 * @param given what is given beside the parameters, and these
 * @param values the values of all, as the reference computes them
 * @param listener receives a few words for people when the search goes on
 */
record WrongTogether(
    Trials trials,
    List<HloInstruction> tried,
    Set<HloInstruction> given,
    Values values,
    Consumer<String> listener) {
  /** How many values the system is asked for in one run of the whole program. */
  private static final int MAX_ROOTS = 2_000;

  /** How many instructions before another one may be fused with it. */
  private static final int MAX_DEPTH = 32;

  /**
   * Searches for instructions that are wrong only together. The system computes all values at once.
   * Where one does not follow from the values that the system has for the instructions before it,
   * these and it are a candidate.
   */
  Optional<Located> inconsistent(ImmutableList<String> within) {
    Values own = new Values(Long.MAX_VALUE);
    given.forEach(each -> own.put(each, values.of(each)));
    List<HloInstruction> roots =
        tried.stream()
            .flatMap(each -> Stream.concat(each.operands().stream(), Stream.of(each)))
            .filter(each -> !given.contains(each))
            .distinct()
            .toList();
    for (List<HloInstruction> some : Lists.partition(roots, MAX_ROOTS)) {
      Optional<Literal> all = trials.answer(ProgramPart.of(some, given, values)).value();
      if (all.isEmpty()) {
        return Optional.empty();
      }
      for (int i = 0; i < some.size(); i++) {
        own.put(some.get(i), some.size() == 1 ? all.get() : all.get().element(i));
      }
    }
    for (List<HloInstruction> some : ProgramPart.chunks(tried, own::bytesAround)) {
      Optional<Literal> all = trials.reference(ProgramPart.alone(some, own));
      for (int i = 0; i < some.size() && all.isPresent(); i++) {
        Literal want = some.size() == 1 ? all.get() : all.get().element(i);
        if (!want.equals(own.of(some.get(i))) && !follows(some.get(i), own)) {
          Optional<Located> found = grown(some.get(i), within);
          if (found.isPresent()) {
            return found;
          }
        }
      }
    }
    return Optional.empty();
  }

  /** Returns whether a value is that of an instruction, or of it and some before it. */
  private boolean follows(HloInstruction root, Values own) {
    for (int depth = 0; depth <= MAX_DEPTH; depth = Math.max(1, 2 * depth)) {
      Program part = ProgramPart.of(List.of(root), beyond(root, depth, own), own);
      Optional<Literal> want = trials.reference(part);
      if (want.isEmpty() || trials.verdict(part, own.of(root), want.get()) != Verdict.WRONG) {
        return true;
      }
    }
    return false;
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
  private Optional<Located> grown(HloInstruction root, ImmutableList<String> within) {
    for (int depth = 1; depth <= MAX_DEPTH; depth *= 2) {
      Set<HloInstruction> near = beyond(root, depth, values);
      near.addAll(given);
      if (trials.isWrong(ProgramPart.of(List.of(root), near, values), values.of(root))) {
        return Optional.of(cut(root, near, within));
      }
    }
    return Optional.empty();
  }

  /** Returns an instruction that is wrong after one that is not, near the first. */
  Optional<Located> bisected(ImmutableList<String> within) {
    int good = -1;
    int bad = tried.size();
    while (bad - good > 1) {
      int middle = (good + bad) / 2;
      listener.accept("instruction " + middle + " of " + tried.size() + " after the others");
      HloInstruction root = tried.get(middle);
      Program part = ProgramPart.of(List.of(root), given, values);
      if (trials.isWrong(part, values.of(root))) {
        bad = middle;
      } else {
        good = middle;
      }
    }
    return bad == tried.size() ? Optional.empty() : Optional.of(cut(tried.get(bad), given, within));
  }

  /** Gives the values of instructions, of all, halves, quarters …, while the root is wrong. */
  private Located cut(
      HloInstruction root, Set<HloInstruction> first, ImmutableList<String> within) {
    Literal want = values.of(root);
    Set<HloInstruction> all = new HashSet<>(first);
    Halving.left(
        others(root, all),
        (group, rest) -> {
          Set<HloInstruction> more = new HashSet<>(all);
          more.addAll(group);
          return trials.isWrong(ProgramPart.of(List.of(root), more, values), want)
              && all.addAll(group);
        });
    Program smallest = ProgramPart.of(List.of(root), all, values);
    return trials.located(root, within, others(root, all), smallest, want);
  }

  /** Returns what is computed for a root, but it, in order. */
  private ImmutableList<HloInstruction> others(HloInstruction root, Set<HloInstruction> known) {
    Program part = ProgramPart.of(List.of(root), known, values);
    Set<String> names =
        part.module().entry().instructions().stream().map(HloInstruction::name).collect(toSet());
    return tried.stream()
        .filter(each -> each != root && names.contains(each.name()) && !known.contains(each))
        .collect(toImmutableList());
  }
}
