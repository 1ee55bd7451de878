package org.hlo4j.check.compare;

import com.google.common.collect.Maps;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.check.compare.Perturbed.Choice;
import org.hlo4j.check.compare.Perturbed.Site;
import org.hlo4j.hlo.Literal;
import org.hlo4j.interpreter.reference.linalg.Matrix;

/**
 * The runs of a {@link Perturbed} module in which what is open is chosen in another way: the
 * elements get other values, or another order. What changes in the result is open, too.
 */
final class OpenRuns {
  /** How many other values or orders there are. */
  private static final int CHOICES = 3;

  private final Replay replay;

  /** What a result is like, where it can be. */
  private final Optional<Literal> wanted;

  private final VectorPhases phases = new VectorPhases();

  /** The results in which the elements of a row are others, of the runs that came to an end. */
  private final Map<LeftOpen, List<Literal>> variants = new LinkedHashMap<>();

  private boolean isReordered;
  private boolean isDone;

  OpenRuns(Replay replay, Optional<Literal> wanted) {
    this.replay = replay;
    this.wanted = wanted;
  }

  /** Returns the choice of what is like the wanted result, where another one shifts. */
  Choice kept(Choice shift) {
    Choice both =
        (site, operands) ->
            site.row().isPresent() ? kept(site, operands) : shift.of(site, operands);
    return phases.in(both, phases.chosen());
  }

  private Literal kept(Site site, List<Literal> operands) {
    if (wanted.isEmpty() || site.row().isEmpty()) {
      return operands.get(0);
    }
    List<Literal> like = wanted.get().arrays();
    if (site.row().equals(Optional.of(LeftOpen.EIGENVALUE_ORDER))) {
      Literal ordered =
          EigenvalueOrder.like(site.instruction(), operands.get(0), operands.get(1), like);
      isReordered |= !ordered.equals(operands.get(0));
      return ordered;
    }
    return site.numbers().isEmpty()
        ? operands.get(0)
        : arranged(
                site,
                operands,
                (blocks, arrays) ->
                    OpenBlock.nearest(
                        blocks, arrays, Maps.transformValues(site.numbers(), like::get)))
            .orElse(operands.get(0));
  }

  /** Returns a result with other values where it is open; empty if it is nowhere. */
  private static Optional<Literal> arranged(
      Site site,
      List<Literal> operands,
      BiFunction<List<OpenBlock>, List<Literal>, List<Literal>> choose) {
    Literal result = operands.get(0);
    List<Literal> arrays = result.arrays();
    List<Literal> in = operands.subList(1, operands.size());
    OpenElements made = new OpenElements(site.instruction(), in, arrays);
    List<OpenBlock> found =
        site.row().orElseThrow().finder().of(made).stream()
            .filter(each -> !each.elements().isEmpty())
            .toList();
    return Optional.of(found)
        .filter(some -> !some.isEmpty())
        .map(some -> Literal.ofArrays(result.shape(), choose.apply(some, arrays).iterator()));
  }

  /** Returns the row by which an array of the result was chosen. */
  LeftOpen chosenRow(int array) {
    LeftOpen others = isReordered ? LeftOpen.EIGENVALUE_ORDER : LeftOpen.VECTOR_SIGNS;
    return replay.openSites().stream()
        .filter(site -> site.numbers().containsValue(array))
        .reduce((first, last) -> last)
        .flatMap(Site::row)
        .orElse(others);
  }

  /** Returns whether there are vectors whose signs are free. */
  boolean hasVectors() {
    return phases.count() > 0;
  }

  /** Returns whether something may be chosen as another result has it. */
  boolean mayBeChosen() {
    return wanted.isEmpty()
        && (hasVectors()
            || replay.openSites().stream().anyMatch(site -> !site.numbers().isEmpty()));
  }

  /** Chooses what is open so that a result is nearest to the wanted one; empty if it is then. */
  Optional<Literal> nearest(Literal result) {
    Optional<Literal> arranged = replay.attempt(phases.in(this::kept, phases.chosen()));
    return hasVectors()
        ? phases
            .nearest(this::withFactors, arranged.orElse(result), wanted.orElseThrow())
            .or(() -> arranged)
        : arranged;
  }

  private Optional<Literal> withFactors(Function<FreeVectors.Space, Matrix> factors) {
    return replay.attempt(phases.in(this::kept, factors));
  }

  /** Makes the runs that show where the signs of vectors matter. */
  void runSigns() {
    if (hasVectors()) {
      put(LeftOpen.VECTOR_SIGNS, phases.halves(this::withFactors));
    }
  }

  private void put(LeftOpen row, List<Optional<Literal>> results) {
    variants.put(row, results.stream().flatMap(Optional::stream).toList());
  }

  /** Makes the runs: one for all rows, and some for each row of which something was found. */
  void run() {
    if (isDone || replay.openSites().isEmpty()) {
      return;
    }
    isDone = true;
    Set<LeftOpen> met = EnumSet.noneOf(LeftOpen.class);
    choose(EnumSet.allOf(LeftOpen.class), 0, met);
    for (LeftOpen row : EnumSet.copyOf(met)) {
      List<Optional<Literal>> results = new ArrayList<>();
      for (int choice = 0; choice < CHOICES; choice++) {
        results.add(choose(EnumSet.of(row), choice, met));
      }
      put(row, results);
    }
    if (phases.areBasesFree()) {
      put(LeftOpen.VECTOR_BASIS, phases.bases(this::withFactors));
    }
  }

  private Optional<Literal> choose(Set<LeftOpen> some, int choice, Set<LeftOpen> met) {
    Choice other =
        (site, operands) -> {
          if (site.row().filter(some::contains).isEmpty()
              || (wanted.isPresent() && !site.numbers().isEmpty())) {
            return kept(site, operands);
          }
          Optional<Literal> made =
              arranged(site, operands, (blocks, in) -> OpenBlock.other(blocks, in, choice));
          made.ifPresent(each -> met.add(site.row().orElseThrow()));
          return made.orElse(operands.get(0));
        };
    return replay.attempt(phases.in(other, phases.chosen()));
  }

  /** Returns the row that leaves a component of an array open: one whose choices move it. */
  Optional<LeftOpen> open(int array, int i, Predicate<Literal> isMoved) {
    boolean isFollowed = wanted.isPresent() && phases.follows(array, i);
    return variants.entrySet().stream()
        .filter(row -> !(isFollowed && row.getKey() == LeftOpen.VECTOR_BASIS))
        .filter(row ->
            row.getValue().isEmpty()
                || row.getValue().stream().anyMatch(each -> isMoved.test(each.arrays().get(array))))
        .map(Map.Entry::getKey)
        .findFirst();
  }
}
