package org.hlo4j.check.compare;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.LeftOpen;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;

/**
 * The runs of a {@link Perturbed} module in which what is open is chosen in another way: the
 * elements get other values, or another order. What changes in the result is open, too.
 */
final class OpenRuns {
  /** How many other values or orders there are. */
  private static final int CHOICES = 3;

  /**
   * An open choice, and the instruction whose result or operand it changes.
   *
   * @param numbers which arrays of the module's result those of that instruction are, if they are
   *     there as it gives them
   */
  record Site(LeftOpen row, HloInstruction instruction, Map<Integer, Integer> numbers) {}

  /** What the custom call of a site makes of its operands. */
  @FunctionalInterface
  interface Made {
    Literal of(Site site, List<Literal> operands);
  }

  /** Runs the module with custom calls of sites; empty if it is refused or of another shape. */
  private final Function<Made, Optional<Literal>> run;

  private VectorPhases phases = new VectorPhases();
  private final Map<LeftOpen, List<Optional<Literal>>> variants = new LinkedHashMap<>();
  private final Map<Integer, LeftOpen> rows = new HashMap<>();
  private Optional<Literal> wanted = Optional.empty();
  private boolean isReordered;
  private boolean isDone;

  OpenRuns(Function<Made, Optional<Literal>> run, Collection<Site> sites) {
    this.run = run;
    sites.forEach(site -> site.numbers().values().forEach(array -> rows.put(array, site.row())));
  }

  private Set<LeftOpen> met() {
    Set<LeftOpen> met = EnumSet.noneOf(LeftOpen.class);
    choose(EnumSet.allOf(LeftOpen.class), 0, met);
    return met;
  }

  private Optional<Literal> choose(Set<LeftOpen> some, int choice, Set<LeftOpen> met) {
    return run.apply(phases.in((site, operands) -> chosen(site, operands, some, choice, met)));
  }

  /** Returns the custom calls of a run in which all is chosen as before. */
  Made kept() {
    return phases.in(this::kept);
  }

  /** Returns the result of the custom call of a site, where it can be like the wanted result. */
  private Literal kept(Site site, List<Literal> operands) {
    if (wanted.isEmpty()) {
      return operands.get(0);
    } else if (site.row() == LeftOpen.EIGENVALUE_ORDER) {
      List<Literal> arrays = wanted.get().arrays();
      Literal like =
          EigenvalueOrder.like(site.instruction(), operands.get(0), operands.get(1), arrays);
      isReordered |= !like.equals(operands.get(0));
      return like;
    }
    return wanted
        .filter(all -> !site.numbers().isEmpty())
        .flatMap(all ->
            arranged(
                site,
                operands,
                (blocks, arrays) -> OpenBlock.nearest(blocks, arrays, like(all, site, arrays))))
        .orElse(operands.get(0));
  }

  private static List<Optional<Literal>> like(Literal wanted, Site site, List<Literal> arrays) {
    return IntStream.range(0, arrays.size())
        .mapToObj(i -> Optional.ofNullable(site.numbers().get(i)).map(wanted.arrays()::get))
        .toList();
  }

  /** Returns a result with other values where it is open; empty if it is nowhere. */
  private static Optional<Literal> arranged(
      Site site,
      List<Literal> operands,
      BiFunction<List<OpenBlock>, List<Literal>, List<Literal>> choose) {
    Literal result = operands.get(0);
    List<Literal> arrays = result.arrays();
    List<Literal> in = operands.subList(1, operands.size());
    List<OpenBlock> found =
        site.row().finder().of(new OpenElements.Made(site.instruction(), in, arrays)).stream()
            .filter(each -> !each.elements().isEmpty())
            .toList();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    List<Literal> parts = choose.apply(found, arrays);
    return Optional.of(result.shape() instanceof Shape.Tuple ? Literal.tuple(parts) : parts.get(0));
  }

  /** Returns the row by which an array of the result was chosen. */
  LeftOpen chosenRow(int array) {
    LeftOpen others = isReordered ? LeftOpen.EIGENVALUE_ORDER : LeftOpen.VECTOR_SIGNS;
    return rows.getOrDefault(array, others);
  }

  /** Returns whether there are vectors whose signs are free. */
  boolean hasVectors() {
    return phases.count() > 0;
  }

  /**
   * Returns whether something is chosen as a result has it, so that others need runs of their own.
   */
  boolean isChosenForAResult() {
    return hasVectors() || !rows.isEmpty();
  }

  /** Chooses what is open so that the result is nearest to another one; empty if it is then. */
  Optional<Literal> nearest(Literal result, Literal got) {
    wanted = Optional.of(got);
    if (!isChosenForAResult()) {
      return Optional.empty();
    }
    phases = new VectorPhases(); // of the order of the eigenvalues that is wanted
    Optional<Literal> arranged = run.apply(kept());
    return hasVectors()
        ? phases.nearest(run, this::kept, arranged.orElse(result), got).or(() -> arranged)
        : arranged;
  }

  /** Makes the runs that show where the signs of vectors matter. */
  void runSigns() {
    if (hasVectors()) {
      variants.put(LeftOpen.VECTOR_SIGNS, phases.halves(run, this::kept));
    }
  }

  /** Makes the runs: one for all rows, and some for each row of which something was found. */
  void run() {
    if (isDone) {
      return;
    }
    isDone = true;
    for (LeftOpen row : met()) {
      List<Optional<Literal>> results = new ArrayList<>();
      for (int choice = 0; choice < CHOICES; choice++) {
        results.add(choose(EnumSet.of(row), choice, EnumSet.noneOf(LeftOpen.class)));
      }
      variants.put(row, results);
    }
    List<Optional<Literal>> bases = phases.bases(run, this::kept);
    if (!bases.isEmpty()) {
      variants.put(LeftOpen.VECTOR_BASIS, bases);
    }
  }

  /**
   * Returns the row that leaves a component of an array of the result open: one whose choices move
   * it out of the interval that roundings justify.
   */
  Optional<LeftOpen> open(int array, int i, Literal centre, Interval interval) {
    boolean isFollowed = wanted.isPresent() && phases.follows(array, i);
    return variants.entrySet().stream()
        .filter(row -> !(isFollowed && row.getKey() == LeftOpen.VECTOR_BASIS))
        .filter(row ->
            row.getValue().stream().allMatch(Optional::isEmpty)
                || row.getValue().stream()
                    .flatMap(Optional::stream)
                    .anyMatch(each -> isMoved(centre, each.arrays().get(array), i, interval)))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  private static boolean isMoved(Literal centre, Literal other, int i, Interval interval) {
    ElementType type = centre.elementType().componentType();
    return centre.bitsAt(i) != other.bitsAt(i)
        && !(type.isFloating()
            && interval.isBounded()
            && interval.holds(type.decode(other.bitsAt(i))));
  }

  /** Returns the result of the custom call of a site, and notes its row if anything is open. */
  private Literal chosen(
      Site site, List<Literal> operands, Set<LeftOpen> some, int choice, Set<LeftOpen> met) {
    LeftOpen row = site.row();
    if (!some.contains(row) || (wanted.isPresent() && !site.numbers().isEmpty())) {
      return kept(site, operands);
    }
    Optional<Literal> made =
        arranged(site, operands, (blocks, arrays) -> OpenBlock.other(blocks, arrays, choice));
    made.ifPresent(each -> met.add(row));
    return made.orElse(operands.get(0));
  }
}
