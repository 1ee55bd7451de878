package org.hlo4j.check.compare;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Suppliers;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Lists;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.check.compare.Comparison.Verdict;
import org.hlo4j.check.part.Draft;
import org.hlo4j.check.part.Rewrite;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.engine.Effects;

/**
 * Compares results of a module with that of the reference. {@link Runs} of the module show which
 * values are allowed. Arrays that they leave undecided are judged by runs of the slice that
 * computes these arrays and nothing else. The arrays have numbers, as in {@link Outputs}.
 */
final class Judge {
  static final int MAX_RUNS = 64;
  static final int FEW = 2;

  /** How many perturbed runs the intervals come from. */
  private static final int INTERVAL_RUNS = 8;

  /** For how many outputs that are not right the reason is looked for, by runs of the program. */
  private static final int MAX_REASONS = 3;

  private final Replay.Subject subject;
  private final ImmutableList<ImmutableList<Integer>> paths;
  private final Map<List<Integer>, Judge> slices = new HashMap<>();
  private final Supplier<Runs> runs;

  Judge(Replay.Subject subject) {
    this.subject = subject;
    this.paths = Outputs.paths(subject.result().shape());
    this.runs = Suppliers.memoize(() -> new Runs(new Replay(subject)));
  }

  static void requireShape(Literal got, Literal want) {
    require(
        got.shape().equals(want.shape()), "", "shape got %s, want %s", got.shape(), want.shape());
  }

  /** Returns what the reference computes. */
  Literal result() {
    return subject.result();
  }

  /**
   * Returns the judge of some arrays alone; this one if they depend on what is chosen for others,
   * too, or if a program gives more than its root, for then it has no slices.
   */
  private Judge slice(List<Integer> numbers) {
    boolean isWhole =
        numbers.size() == paths.size()
            || !Outputs.paths(subject.module().entry().root().shape()).equals(paths);
    return isWhole ? this : slices.computeIfAbsent(numbers, this::newSlice);
  }

  private Judge newSlice(List<Integer> numbers) {
    HloModule slice = sliced(numbers);
    return slice.instructions().anyMatch(OpenRules::areChosen)
        ? this
        : new Judge(subject.with(slice, part(result(), numbers)));
  }

  private static Literal part(Literal of, List<Integer> numbers) {
    List<Literal> some = Lists.transform(numbers, of.arrays()::get);
    return some.size() == 1 ? some.get(0) : Literal.tuple(some);
  }

  /** Returns a module that computes some arrays, and has the same parameters and effects. */
  private HloModule sliced(List<Integer> numbers) {
    HloComputation entry = subject.module().entry();
    Effects effects = new Effects();
    Set<HloInstruction> kept =
        Sets.filter(
            ImmutableSet.copyOf(entry.instructions()),
            each ->
                each.op() instanceof Parameter
                    || (effects.hasEffect(each) && !(each.op() instanceof Sizing)));
    Rewrite.Change slice =
        (draft, at) -> {
          HloInstruction whole = at.op() instanceof Tuple ? at : draft.add(at);
          return draft.together(
              "slice", numbers.stream().map(i -> element(draft, whole, paths.get(i))).toList());
        };
    return Rewrite.module(subject.module(), new Rewrite.Edit(entry.root().name(), slice), kept);
  }

  private static HloInstruction element(Draft draft, HloInstruction of, List<Integer> path) {
    HloInstruction element = of;
    for (int index : path) {
      element = draft.elements(element).get(index);
    }
    return element;
  }

  /** Returns the values that roundings justify, of each component of all arrays. */
  ImmutableList<Interval> intervals() {
    ImmutableList.Builder<Interval> intervals = ImmutableList.builder();
    for (int number = 0; number < paths.size(); number++) {
      Judge alone = slice(List.of(number));
      List<Runs> some = List.of(alone.forIntervals());
      Literal array = result().arrays().get(number);
      ElementJudge judge =
          new ElementJudge(array, array, some, List.of(), alone == this ? number : 0);
      IntStream.range(0, judge.components()).mapToObj(judge::decisive).forEach(intervals::add);
    }
    return intervals.build();
  }

  private Runs forIntervals() {
    runs.get().run(INTERVAL_RUNS);
    runs.get().open().run();
    runs.get().open().runSigns();
    return runs.get();
  }

  /**
   * Compares a result, by more and more runs.
   *
   * @param got the result
   * @param tested the judge of the program that gave it, if that may have rounded, too
   * @param most how many runs there are at most
   * @throws HloException if it has another shape
   */
  Comparison compared(Literal got, List<Judge> tested, int most) {
    requireShape(got, result());
    Trial trial = new Trial(got, tested, most, new ArrayList<>(), new ArrayList<>());
    List<ElementJudge> judges = judges(trial);
    List<List<Integer>> left = trial.undecided(judges, 0);
    for (int step = 0; left.stream().anyMatch(some -> isWhole(some, tested)); step++) {
      trial.run(step, this);
      judges = judges(trial);
      left = trial.undecided(judges, step + 1);
    }
    List<Output> outputs = outputs(judges);
    for (List<Integer> some : left) {
      List<Judge> same = Lists.transform(tested, judge -> judge.slice(some));
      Comparison inner = slice(some).compared(part(got, some), same, most);
      for (int i = 0; i < some.size(); i++) {
        outputs.set(some.get(i), inner.outputs().get(i).at(paths.get(some.get(i))));
      }
    }
    return new Comparison(ImmutableList.copyOf(outputs));
  }

  /** Returns whether some arrays need runs of a whole program. */
  private boolean isWhole(List<Integer> some, List<Judge> tested) {
    return slice(some) == this || tested.stream().anyMatch(judge -> judge.slice(some) == judge);
  }

  private List<ElementJudge> judges(Trial trial) {
    List<Literal> got = trial.got.arrays();
    return IntStream.range(0, paths.size())
        .mapToObj(i ->
            new ElementJudge(got.get(i), result().arrays().get(i), trial.forms, trial.others, i))
        .toList();
  }

  private List<Output> outputs(List<ElementJudge> judges) {
    List<Output> outputs = new ArrayList<>();
    int reasons = 0;
    for (ElementJudge each : judges) {
      outputs.add(each.output(paths.get(outputs.size()), reasons < MAX_REASONS));
      reasons += outputs.getLast().verdict().isGood() ? 0 : 1;
    }
    return outputs;
  }

  /**
   * The runs by which one result is judged.
   *
   * @param forms those of the program and of other forms of it
   * @param others those of the program that gave the result
   */
  private record Trial(
      Literal got, List<Judge> tested, int most, List<Runs> forms, List<Runs> others) {
    /** How many runs there are in each step, of which the last one only decides what is wrong. */
    private static final ImmutableList<Integer> RUNS =
        ImmutableList.of(0, FEW, FEW, FEW, INTERVAL_RUNS, MAX_RUNS);

    private static final int STEPS = RUNS.size();

    /** Makes the runs of a step: the open choices are tried in the third, other forms after it. */
    void run(int step, Judge judge) {
      if (step == 0) {
        forms.add(judge.runs.get());
        tested.forEach(each -> others.add(each.runs.get()));
      } else if (step == 3 && tested.isEmpty() && most == MAX_RUNS) {
        forms.addAll(forms.get(0).otherForms());
      }
      for (List<Runs> all : List.of(forms, others)) {
        all.forEach(each -> each.run(Math.min(RUNS.get(step), most)));
        if (step == 2 || step == 4) {
          all.replaceAll(each -> each.like(got));
          all.forEach(each -> each.open().run());
        }
      }
    }

    /**
     * Returns the arrays that more steps may decide, each alone if the runs are refused, for then
     * it may depend on what is not.
     */
    List<List<Integer>> undecided(List<ElementJudge> judges, int step) {
      List<Integer> left =
          IntStream.range(0, step == STEPS ? 0 : judges.size())
              .filter(i -> {
                Verdict worst = judges.get(i).worst();
                return worst == Verdict.WRONG || (step < STEPS - 1 && !worst.isGood());
              })
              .boxed()
              .toList();
      boolean isRefused = !forms.isEmpty() && forms.get(0).areAllRefused();
      return Lists.partition(left, isRefused ? 1 : Math.max(1, left.size()));
    }
  }
}
