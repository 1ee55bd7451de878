package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.Streams;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/** What the computations of a program under construction have in common. */
final class Draft {
  /** The most instructions of a program, after which computations are as short as can be. */
  private static final int MAX_INSTRUCTIONS = 250;

  private final Choices choices;
  private final boolean hasLayouts;
  private final boolean hasPredecessors;
  private final boolean hasEffects;
  private final boolean isShared;
  private final long maxElements;
  private final List<HloComputation> shareable = new ArrayList<>();
  private Place place = Place.ENTRY;
  private Consumer<Block> first = block -> {};
  private int names;

  /** Creates a draft of plain instructions. */
  Draft(Choices choices) {
    this(choices, false, false, false, false, 3_000);
  }

  private Draft(
      Choices choices,
      boolean hasLayouts,
      boolean hasPredecessors,
      boolean hasEffects,
      boolean isShared,
      long maxElements) {
    this.choices = choices;
    this.hasLayouts = hasLayouts;
    this.hasPredecessors = hasPredecessors;
    this.hasEffects = hasEffects;
    this.isShared = isShared;
    this.maxElements = Math.min(maxElements, choices.restrictions().maxElements());
  }

  /**
   * Creates a draft in which layouts, control predecessors, effects and shared computations vary.
   *
   * @param hasEffects whether it has effects in any case
   */
  Draft(Choices choices, boolean hasEffects) {
    this(
        choices,
        choices.chance(5) && !choices.restrictions().isPortable(),
        choices.chance(6) && !choices.restrictions().isPortable(),
        (choices.chance(3) || hasEffects) && !choices.restrictions().isPortable(),
        choices.chance(3),
        choices.chance(12) ? 50_000 : choices.chance(3) ? 300 : 3_000);
  }

  Choices choices() {
    return choices;
  }

  /** Returns the most elements of an array. */
  long maxElements() {
    return maxElements;
  }

  boolean hasPredecessors() {
    return hasPredecessors;
  }

  int nextName() {
    return names++;
  }

  boolean isFull() {
    return names > MAX_INSTRUCTIONS;
  }

  /** Asks for a step as the first one of the next computation in a place. */
  void want(Place where, Consumer<Block> step) {
    place = where;
    first = step;
  }

  /** Takes the step that was asked for in this place, if it was not taken before. */
  void takeWanted(Place where, Block block) {
    if (place == where) {
      place = Place.ENTRY;
      first.accept(block);
    }
  }

  /** Returns a shape with layouts, if the program has any. */
  Shape laidOut(Shape shape) {
    return hasLayouts ? shape.mapArrays(this::laidOut) : shape;
  }

  private Shape.Array laidOut(Shape.Array array) {
    return choices.chance(2)
        ? array.withLayout(new Layout(choices.permutation(array.rank()), ""))
        : array;
  }

  /** Keeps a computation, so that other instructions can call it as well. */
  HloComputation share(HloComputation computation) {
    if (isShared) {
      shareable.add(computation);
    }
    return computation;
  }

  /** Returns a computation of before with this signature. */
  Optional<HloComputation> shared(List<? extends Shape> parameters, Shape result) {
    List<HloComputation> fit =
        shareable.stream()
            .filter(each -> each.root().shape().compatible(result))
            .filter(each -> each.programShape().parameters().size() == parameters.size())
            .filter(each ->
                Streams.zip(
                        each.programShape().parameters().stream(),
                        parameters.stream(),
                        Shape::compatible)
                    .allMatch(isFit -> isFit))
            .toList();
    return fit.isEmpty() || choices.chance(2) ? Optional.empty() : Optional.of(choices.oneOf(fit));
  }

  /** Refuses what only programs with effects have. */
  void requireEffects() {
    require(hasEffects, "", "the program has no effects");
  }
}
