package org.hlo4j.check.compare;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.interpreter.EvaluatorOptions;

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
   * @param places where in the result of the module the arrays of that instruction are, if they are
   *     there as it gives them
   */
  record Site(
      OpenChoice choice,
      HloInstruction instruction,
      ImmutableMap<Integer, ImmutableList<Integer>> places) {}

  /** A run of the module, whose open choices and tolerances are custom calls by their targets. */
  @FunctionalInterface
  interface Run {
    /**
     * Runs the module.
     *
     * @param made returns the result of the custom call of a site with operands
     * @return the result; empty if it is refused or of another shape
     */
    Optional<Literal> of(BiFunction<Site, List<Literal>, Literal> made);
  }

  private final Run run;
  private final VectorPhases phases = new VectorPhases();
  private final Map<LeftOpen, List<Optional<Literal>>> variants = new LinkedHashMap<>();
  private final Map<ImmutableList<Integer>, LeftOpen> rows = new HashMap<>();
  private Optional<Literal> wanted = Optional.empty();
  private boolean isDone;

  OpenRuns(Run run, Collection<Site> sites) {
    this.run = run;
    for (Site site : sites) {
      site.places().values().forEach(path -> rows.put(path, site.choice().row()));
    }
  }

  /** Returns the rows that a program meets. */
  static ImmutableSet<LeftOpen> met(Program program) {
    EvaluatorOptions options = EvaluatorOptions.builder().build();
    OpenRuns open = Runs.of(program, new ToleranceProfile.Native(), options).open();
    Set<LeftOpen> met = EnumSet.noneOf(LeftOpen.class);
    met.addAll(open.met());
    if (open.hasVectors()) {
      met.add(LeftOpen.VECTOR_SIGNS);
    }
    return Sets.immutableEnumSet(met);
  }

  private ImmutableSet<LeftOpen> met() {
    Set<LeftOpen> met = EnumSet.noneOf(LeftOpen.class);
    run.of(
        phases.in(
            (site, operands) -> chosen(site, operands, EnumSet.allOf(LeftOpen.class), 0, met)));
    return Sets.immutableEnumSet(met);
  }

  /** Returns the custom calls of a run in which all is chosen as before. */
  BiFunction<Site, List<Literal>, Literal> kept() {
    return phases.in(this::kept);
  }

  /** Returns the result of the custom call of a site, where it can be like the wanted result. */
  private Literal kept(Site site, List<Literal> operands) {
    Literal result = operands.get(0);
    return site.choice() instanceof OpenChoice.Blocks blocks
            && !site.places().isEmpty()
            && wanted.isPresent()
        ? arranged(site, blocks, operands, -1)
        : result;
  }

  private Literal arranged(
      Site site, OpenChoice.Blocks blocks, List<Literal> operands, int choice) {
    Literal result = operands.get(0);
    List<Literal> arrays = arrays(result);
    OpenElements.Made made =
        new OpenElements.Made(site.instruction(), operands.subList(1, operands.size()), arrays, 0);
    List<OpenBlocks.Block> found = blocks.finder().of(made);
    List<Optional<Literal>> like =
        IntStream.range(0, arrays.size())
            .mapToObj(i ->
                wanted
                    .filter(all -> site.places().containsKey(i))
                    .map(all -> Runs.at(all, site.places().get(i))))
            .toList();
    List<Literal> parts =
        choice < 0
            ? OpenBlocks.nearest(found, arrays, like)
            : OpenBlocks.other(found, arrays, choice);
    return found.isEmpty() ? result : together(result, parts);
  }

  private static List<Literal> arrays(Literal result) {
    return result.shape() instanceof Shape.Tuple ? result.elements() : List.of(result);
  }

  private static Literal together(Literal like, List<Literal> parts) {
    return like.shape() instanceof Shape.Tuple ? Literal.tuple(parts) : parts.get(0);
  }

  /** Returns the row by which an array of the result was chosen. */
  LeftOpen chosenRow(List<Integer> path) {
    return rows.getOrDefault(ImmutableList.copyOf(path), LeftOpen.VECTOR_SIGNS);
  }

  /** Returns whether there are vectors whose signs are free. */
  boolean hasVectors() {
    return phases.count() > 0;
  }

  /** Chooses what is open so that the result is nearest to another one; empty if it is then. */
  Optional<Literal> nearest(Literal result, Literal got) {
    wanted = Optional.of(got);
    Optional<Literal> arranged = rows.isEmpty() ? Optional.empty() : run.of(kept());
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
        int number = choice;
        Set<LeftOpen> met = EnumSet.noneOf(LeftOpen.class);
        results.add(
            run.of(
                phases.in(
                    (site, operands) -> chosen(site, operands, EnumSet.of(row), number, met))));
      }
      variants.put(row, results);
    }
  }

  /**
   * Returns the row that leaves a component of an array of the result open: one whose choices move
   * it out of the interval that roundings justify.
   */
  Optional<LeftOpen> open(List<Integer> path, int i, Literal centre, Interval interval) {
    boolean isFollowed = wanted.isPresent() && phases.follows(number(wanted.get(), path), i);
    return variants.entrySet().stream()
        .filter(row -> !(isFollowed && row.getKey() == LeftOpen.VECTOR_BASIS))
        .filter(row ->
            row.getValue().stream()
                .anyMatch(each ->
                    each.map(value -> isMoved(centre, Runs.at(value, path), i, interval))
                        .orElse(row.getValue().stream().allMatch(Optional::isEmpty))))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Returns the number of an array in a result. */
  private static int number(Literal result, List<Integer> path) {
    int number = 0;
    Literal at = result;
    for (int index : path) {
      for (Literal before : at.elements().subList(0, index)) {
        number += before.arrays().size();
      }
      at = at.element(index);
    }
    return number;
  }

  private static boolean isMoved(Literal centre, Literal other, int i, Interval interval) {
    ElementType type = centre.elementType().componentType();
    return centre.bitsAt(i) != other.bitsAt(i)
        && !(type.isFloating()
            && interval.isBounded()
            && interval.holds(type.decode(other.bitsAt(i))));
  }

  /** Returns the result of the custom call of a site, and notes its row if anything is open. */
  @SuppressWarnings("ReferenceEquality") // literals whose NaNs have other bits are equal
  private Literal chosen(
      Site site, List<Literal> operands, Set<LeftOpen> rows, int choice, Set<LeftOpen> met) {
    LeftOpen row = site.choice().row();
    if (!rows.contains(row) || (wanted.isPresent() && !site.places().isEmpty())) {
      return kept(site, operands);
    }
    Literal made =
        switch (site.choice()) {
          case OpenChoice.Elements elements -> filled(site, elements, operands, choice);
          case OpenChoice.Blocks blocks -> arranged(site, blocks, operands, choice + 1);
          case OpenChoice.NaNs _ -> otherNaNs(operands.get(0), choice);
          case OpenChoice.Signs _ -> operands.get(0);
          case OpenChoice.Basis _ ->
              FreeVectors.rebased(site.instruction(), operands.get(0), choice);
        };
    if (made != operands.get(0)) {
      met.add(row);
    }
    return made;
  }

  @SuppressWarnings("ReferenceEquality") // literals whose NaNs have other bits are equal
  private static Literal filled(
      Site site, OpenChoice.Elements elements, List<Literal> operands, int choice) {
    Literal result = operands.get(0);
    List<Literal> in = operands.subList(1, operands.size());
    List<Literal> arrays = arrays(result);
    List<Literal> parts =
        IntStream.range(0, arrays.size())
            .mapToObj(part ->
                filled(
                    arrays.get(part),
                    elements
                        .finder()
                        .of(new OpenElements.Made(site.instruction(), in, arrays, part)),
                    choice))
            .toList();
    boolean isSame = IntStream.range(0, parts.size()).allMatch(i -> parts.get(i) == arrays.get(i));
    return isSame ? result : together(result, parts);
  }

  /** Returns an array with other elements where it is open; itself if it is nowhere. */
  private static Literal filled(Literal array, IntPredicate isOpen, int choice) {
    int parts = array.elementType().componentCount();
    ElementType type = array.elementType().componentType();
    SplittableRandom random = new SplittableRandom(choice);
    return IntStream.range(0, array.elementCount()).anyMatch(isOpen)
        ? Literal.ofBits(
            array.arrayShape(),
            i -> isOpen.test(i / parts) ? filling(type, choice, random) : array.bitsAt(i))
        : array;
  }

  static LiteralBuilder copy(Literal array) {
    LiteralBuilder copy = new LiteralBuilder(array.arrayShape());
    IntStream.range(0, array.elementCount()).forEach(i -> copy.copy(i, array, i));
    return copy;
  }

  /** Returns a number, one at the end of the range, or zero. */
  private static long filling(ElementType type, int choice, SplittableRandom random) {
    if (!type.isFloating()) {
      long mask = type.bits() == Long.SIZE ? -1L : (1L << type.bits()) - 1;
      return choice == 0 ? random.nextLong() & mask : choice == 1 ? mask : 0;
    }
    double beyond = type.hasNaN() ? Double.NaN : type.maxFinite();
    return type.encode(choice == 0 ? 1 + random.nextDouble() : choice == 1 ? beyond : 0);
  }

  private static Literal otherNaNs(Literal array, int choice) {
    ElementType type = array.elementType().componentType();
    IntToLongFunction other =
        i -> {
          long bits = array.bitsAt(i);
          return type.isFloating() && Double.isNaN(type.decode(bits))
              ? otherNaN(type, bits, choice)
              : bits;
        };
    int components = array.elementCount() * array.elementType().componentCount();
    return IntStream.range(0, components).anyMatch(i -> other.applyAsLong(i) != array.bitsAt(i))
        ? Literal.ofBits(array.arrayShape(), other)
        : array;
  }

  /** Returns a NaN of the other sign, and of another payload if there is one. */
  private static long otherNaN(ElementType type, long bits, int choice) {
    long sign = choice == 2 ? 0 : 1L << (type.bits() - 1);
    for (long payload : new long[] {choice > 0 ? 1 : 0, 0}) {
      long changed = bits ^ sign ^ payload;
      if (Double.isNaN(type.decode(changed))) {
        return changed;
      }
    }
    return bits;
  }
}
