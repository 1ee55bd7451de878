package org.hlo4j.check.generate;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Literal;
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
  private final boolean isDynamic;
  private final long maxElements;
  private final List<HloComputation> shareable = new ArrayList<>();
  private final List<Literal> arguments = new ArrayList<>();
  private final List<Literal> infeed = new ArrayList<>();
  private Optional<Place> place = Optional.empty();
  private Consumer<Block> first = block -> {};
  private int names;

  /** Creates a draft of plain instructions. */
  Draft(Choices choices) {
    this.choices = choices;
    this.hasLayouts = false;
    this.hasPredecessors = false;
    this.hasEffects = false;
    this.isShared = false;
    this.isDynamic = false;
    this.maxElements = 3_000;
  }

  /**
   * Creates a draft in which layouts, control predecessors, effects and shared computations vary.
   *
   * @param hasEffects whether it has effects in any case
   */
  Draft(Choices choices, boolean hasEffects) {
    this.choices = choices;
    boolean isPortable = choices.restrictions().isPortable();
    this.hasLayouts = choices.chance(5) && !isPortable;
    this.hasPredecessors = choices.chance(6) && !isPortable;
    this.hasEffects = (choices.chance(3) || hasEffects) && !isPortable;
    this.isShared = choices.chance(3);
    this.isDynamic = choices.restrictions().isDynamic();
    this.maxElements = choices.chance(12) ? 50_000 : choices.chance(3) ? 300 : 3_000;
  }

  Choices choices() {
    return choices;
  }

  boolean hasEffects() {
    return hasEffects;
  }

  /** Returns the most elements of an array, if restrictions do not say less. */
  long maxElements() {
    return Math.min(maxElements, choices.restrictions().maxElements());
  }

  boolean isDynamic() {
    return isDynamic;
  }

  boolean hasPredecessors() {
    return hasPredecessors;
  }

  List<Literal> arguments() {
    return arguments;
  }

  List<Literal> infeed() {
    return infeed;
  }

  int nextName() {
    return names++;
  }

  boolean isFull() {
    return names > MAX_INSTRUCTIONS;
  }

  /** Asks for a step as the first one of the next computation in a place. */
  void want(Place where, Consumer<Block> step) {
    place = Optional.of(where);
    first = step;
  }

  /** Takes the step that was asked for in this place, if it was not taken before. */
  void takeWanted(Place where, Block block) {
    if (place.filter(where::equals).isPresent()) {
      place = Optional.empty();
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
  void share(HloComputation computation) {
    if (isShared) {
      shareable.add(computation);
    }
  }

  /** Returns a computation of before with this signature. */
  Optional<HloComputation> shared(List<? extends Shape> parameters, Shape result) {
    List<HloComputation> fit =
        shareable.stream()
            .filter(each ->
                each.root().shape().compatible(result)
                    && fits(each.programShape().parameters(), parameters))
            .toList();
    return fit.isEmpty() || choices.chance(2) ? Optional.empty() : Optional.of(choices.oneOf(fit));
  }

  private static boolean fits(List<? extends Shape> got, List<? extends Shape> want) {
    if (got.size() != want.size()) {
      return false;
    }
    for (int i = 0; i < got.size(); i++) {
      if (!got.get(i).compatible(want.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Refuses what only programs with effects have. */
  void requireEffects() {
    HloException.require(hasEffects, "", "the program has no effects");
  }
}
