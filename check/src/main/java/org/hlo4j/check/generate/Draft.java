package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.Streams;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;

/**
 * What the computations of a program under construction have in common.
 *
 * @param choices the random decisions
 * @param hasLayouts whether arrays have layouts
 * @param hasPredecessors whether instructions have control predecessors
 * @param hasEffects whether it has effects
 * @param maxElements the most elements of an array
 * @param shareable the computations that others may call as well; empty if none may
 * @param names counts the names
 * @param wanted the steps that were asked for as the first ones of the next computation in a place
 */
record Draft(
    Choices choices,
    boolean hasLayouts,
    boolean hasPredecessors,
    boolean hasEffects,
    long maxElements,
    Optional<List<HloComputation>> shareable,
    AtomicInteger names,
    Map<Place, Consumer<Block>> wanted) {
  /** The most instructions of a program, after which computations are as short as can be. */
  private static final int MAX_INSTRUCTIONS = 250;

  private Draft(
      Choices choices, boolean[] has, long maxElements, Optional<List<HloComputation>> shareable) {
    this(
        choices,
        has[0],
        has[1],
        has[2],
        Math.min(maxElements, choices.restrictions().maxElements()),
        shareable,
        new AtomicInteger(),
        new EnumMap<>(Place.class));
  }

  /** Creates a draft of plain instructions. */
  Draft(Choices choices) {
    this(choices, new boolean[3], 3_000, Optional.empty());
  }

  /**
   * Returns a draft in which layouts, control predecessors, effects and shared computations vary.
   */
  static Draft varied(Choices choices, boolean hasEffects) {
    boolean isOwn = !choices.restrictions().isPortable();
    boolean[] has = {choices.chance(5), choices.chance(6), choices.chance(3) || hasEffects};
    return new Draft(
        choices,
        isOwn ? has : new boolean[3],
        choices.chance(12) ? 50_000 : choices.chance(3) ? 300 : 3_000,
        Optional.<List<HloComputation>>of(new ArrayList<>()).filter(each -> choices.chance(3)));
  }

  int nextName() {
    return names.getAndIncrement();
  }

  boolean isFull() {
    return names.get() > MAX_INSTRUCTIONS;
  }

  /** Takes the step that was asked for in this place, if it was not taken before. */
  void takeWanted(Place where, Block block) {
    Optional.ofNullable(wanted.remove(where)).ifPresent(step -> step.accept(block));
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
    shareable.ifPresent(all -> all.add(computation));
    return computation;
  }

  /** Returns a computation of before with this signature. */
  Optional<HloComputation> shared(List<? extends Shape> parameters, Shape result) {
    List<HloComputation> fit =
        shareable.stream()
            .flatMap(List::stream)
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
