package org.hlo4j.check.generate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Layout;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.engine.ModuleCost;

/** What the computations of a program under construction have in common. */
final class ProgramDraft {
  /** The most instructions of a program, after which computations are as short as can be. */
  private static final int MAX_INSTRUCTIONS = 250;

  final Choices choices;

  /** Estimates costs, each loop with the most iterations that a drawn loop can have. */
  final ModuleCost cost = new ModuleCost(loop -> OptionalLong.of(Regions.MAX_ITERATIONS));

  /** By place, the step that the next computation there has to begin with. */
  final Map<Place, Consumer<Block>> wanted = new HashMap<>();

  /** Whether instructions use the one before, where its shape fits. */
  boolean isChain;

  boolean hasLayouts;
  boolean hasPredecessors;
  boolean hasEffects;

  /** The most elements of an array. */
  long maxElements = 3_000;

  /** The most operations of all runs of an instruction. */
  double maxCost = Double.MAX_VALUE;

  /** The computations that others may call as well. */
  private final List<HloComputation> shareable = new ArrayList<>();

  private int names;

  /** Creates a draft of plain instructions. */
  ProgramDraft(Choices choices) {
    this.choices = choices;
  }

  /** Returns a draft in which layouts, control predecessors, effects and sizes vary. */
  static ProgramDraft varied(Choices choices, boolean hasEffects) {
    ProgramDraft draft = new ProgramDraft(choices);
    boolean isOwn = !choices.restrictions().isPortable;
    draft.hasLayouts = choices.chance(5) && isOwn;
    draft.hasPredecessors = choices.chance(6) && isOwn;
    draft.hasEffects = (choices.chance(3) || hasEffects) && isOwn;
    draft.isChain = choices.chance(4);
    draft.maxCost = 300_000;
    long most = choices.chance(12) ? 50_000 : choices.chance(3) ? 300 : 3_000;
    draft.maxElements = Math.min(most, choices.restrictions().maxElements);
    return draft;
  }

  int nextName() {
    return names++;
  }

  boolean isFull() {
    return names > MAX_INSTRUCTIONS;
  }

  /** Takes the step that was asked for in this place, if it was not taken before. */
  void takeWanted(Block block) {
    Optional.ofNullable(wanted.remove(block.place)).ifPresent(step -> step.accept(block));
  }

  /** Returns a shape with layouts, if the program has any. */
  Shape laidOut(Shape shape) {
    return hasLayouts
        ? shape.mapArrays(array ->
            choices.chance(2)
                ? array.withLayout(new Layout(choices.permutation(array.rank()), ""))
                : array)
        : shape;
  }

  /** Returns a computation, and keeps it if other instructions can call it as well. */
  HloComputation share(boolean isShared, HloComputation computation) {
    if (isShared) {
      shareable.add(computation);
    }
    return computation;
  }

  /** Returns, at times, a computation with this signature that was made before. */
  Optional<HloComputation> shared(ProgramShape signature) {
    List<HloComputation> fit =
        shareable.stream().filter(each -> each.programShape().compatible(signature)).toList();
    return fit.isEmpty() || !choices.chance(10)
        ? Optional.empty()
        : Optional.of(choices.oneOf(fit));
  }

  /** Refuses what only programs with effects have. */
  void requireEffects() {
    HloException.require(hasEffects, "", "the program has no effects");
  }
}
