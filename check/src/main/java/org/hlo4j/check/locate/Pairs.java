package org.hlo4j.check.locate;

import static java.util.Objects.requireNonNull;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison;
import org.hlo4j.check.compare.ToleranceProfile;
import org.hlo4j.check.compare.Verdict;
import org.hlo4j.check.diff.ModuleDiff;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.CallInliner;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.Interpreter;

/**
 * A search for the instructions at which two programs that should compute the same part. They are
 * paired as {@link ModuleDiff} does, without calls and fusions; the reference computes both of a
 * pair from the values that the first program has for the pairs before it.
 */
public final class Pairs {
  private final ToleranceProfile profile;
  private final EvaluatorOptions options;
  private final Consumer<String> listener;
  private final Values first;

  /** The values of the first program at the counterparts in the second. */
  private final Values second = new Values();

  private final Set<HloInstruction> given = new HashSet<>();
  private final Set<HloInstruction> givenInSecond = new HashSet<>();

  private Pairs(
      Values first, ToleranceProfile profile, EvaluatorOptions options, Consumer<String> listener) {
    this.first = first;
    this.profile = profile;
    this.options = options;
    this.listener = listener;
  }

  /**
   * Searches two programs.
   *
   * @param before a program
   * @param after the same, changed by a pass
   * @param profile the roundings that the pass may do in another way
   * @param options the options of the reference
   * @param listener receives a few words for people when the search goes on
   * @return the instruction of the second program, and its counterpart in the first; those inside
   *     of fusions have names that begin with that of the fusion, as in {@code fusion.3..add.1};
   *     empty if there is none
   * @throws HloException if the reference cannot run a program
   */
  public static Optional<Located> locate(
      Program before,
      Program after,
      ToleranceProfile profile,
      EvaluatorOptions options,
      Consumer<String> listener) {
    ModuleDiff.ComputationDiff entries =
        ModuleDiff.of(flat(before), flat(after)).computations().get(0);
    Values values = Values.of(program(entries.first(), before), options);
    Map<HloInstruction, HloInstruction> pairs = new HashMap<>();
    Stream.concat(entries.same().stream(), entries.changed().stream())
        .filter(each -> areAlike(each.first(), each.second()) && values.has(each.first()))
        .forEach(each -> pairs.put(each.first(), each.second()));
    return new Pairs(values, profile, options, listener)
        .search(
            entries.first().instructions().stream()
                .filter(pairs::containsKey)
                .map(each -> new Pair(each, requireNonNull(pairs.get(each))))
                .toList(),
            new Pair(entries.first().root(), entries.second().root()));
  }

  private static HloModule flat(Program program) {
    return CallInliner.inlined(program.module(), "..");
  }

  private record Pair(HloInstruction before, HloInstruction after) {}

  private static boolean areAlike(HloInstruction before, HloInstruction after) {
    return before.shape().withoutLayout().equals(after.shape().withoutLayout())
        && before.shape() instanceof Shape.Array;
  }

  private static Program program(HloComputation entry, Program program) {
    return program.with(HloModule.create(entry.name(), entry), program.arguments());
  }

  /**
   * Looks at all pairs in order. One that differs is no longer given, since two instructions may
   * have been taken for a pair that are none: then what uses them agrees all the same. It is guilty
   * if that differs, too.
   */
  private Optional<Located> search(List<Pair> pairs, Pair result) {
    pairs.forEach(this::give);
    for (int i = 0; i < pairs.size(); i++) {
      listener.accept("pair " + i + " of " + pairs.size());
      Pair pair = pairs.get(i);
      if (pair.before().op() instanceof Parameter || !differ(pair)) {
        continue;
      }
      given.remove(pair.before());
      givenInSecond.remove(pair.after());
      boolean isGuilty =
          pair.equals(result)
              || Stream.concat(pairs.subList(i + 1, pairs.size()).stream(), Stream.of(result))
                  .anyMatch(user -> uses(user, pair) && differ(user));
      if (isGuilty) {
        return Optional.of(found(pair));
      }
    }
    return differ(result) ? Optional.of(found(result)) : Optional.empty();
  }

  private boolean uses(Pair user, Pair pair) {
    return computes(inFirst(user), pair.before()) || computes(inSecond(user), pair.after());
  }

  private static boolean computes(Program part, HloInstruction instruction) {
    return part.module().entry().instructions().stream()
        .anyMatch(
            each -> each.name().equals(instruction.name()) && !(each.op() instanceof Parameter));
  }

  private void give(Pair pair) {
    given.add(pair.before());
    givenInSecond.add(pair.after());
    second.put(pair.after(), first.of(pair.before()));
  }

  private Program inFirst(Pair pair) {
    return ProgramPart.of(List.of(pair.before()), given, first);
  }

  private Program inSecond(Pair pair) {
    return ProgramPart.of(List.of(pair.after()), givenInSecond, second);
  }

  private boolean differ(Pair pair) {
    try {
      Program after = inSecond(pair);
      return !after.run(Interpreter::reference, options).equals(first.of(pair.before()))
          && Comparison.ofPrograms(after, inFirst(pair), profile, options).verdict()
              == Verdict.WRONG;
    } catch (HloException refusal) {
      if (refusal.kind() == HloException.Kind.INTERRUPTED) {
        throw refusal;
      }
      return false;
    }
  }

  private Located found(Pair pair) {
    Program before = inFirst(pair);
    Program after = inSecond(pair);
    return new Located(
        pair.after(),
        ImmutableList.of(),
        ImmutableList.of(),
        after,
        Optional.of(Comparison.ofPrograms(after, before, profile, options)),
        "",
        Optional.of(new Located.Counterpart(pair.before(), before)));
  }
}
