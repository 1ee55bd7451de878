package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;

/**
 * The computations that instructions call. Some are one op, some ignore what they are given or give
 * it back, and some are programs of their own, with dead instructions and further computations.
 */
final class Regions {
  /** How many computations are in each other at most. */
  private static final int MAX_DEPTH = 3;

  /** How often a computation with ops of all kinds runs at most. */
  private static final long MAX_TIMES = 1_500;

  /** Places whose computations combine elements in an order that XLA leaves open. */
  private static final ImmutableSet<Place> COMBINE =
      Sets.immutableEnumSet(
          Place.REDUCER,
          Place.WINDOW,
          Place.COMBINER,
          Place.SELECTOR,
          Place.SCATTERER,
          Place.DEVICES);

  private Regions() {}

  /** Returns whether a computation may call others that run as programs of their own. */
  static boolean mayNest(Block block) {
    return block.depth() < MAX_DEPTH && block.times() <= 1_000 && !block.draft().isFull();
  }

  /**
   * Returns a computation with this signature.
   *
   * @param caller the computation of the instruction that calls it
   * @param place where it stands
   * @param parameters the shapes of its parameters
   * @param result the shape of its root
   * @param times how often the instruction runs it, at most
   */
  static HloComputation of(
      Block caller, Place place, List<? extends Shape> parameters, Shape result, long times) {
    if (caller.choices().restrictions().isPortable() && COMBINE.contains(place)) {
      return combining(caller, place, parameters);
    }
    boolean isShared = place != Place.FUSED && place != Place.ASYNCHRONOUS;
    Optional<HloComputation> shared =
        isShared ? caller.draft().shared(parameters, result) : Optional.empty();
    if (shared.isPresent()) {
      return shared.get();
    }
    Block block = filled(caller, place, parameters, times);
    HloComputation made = block.close(root(block, result));
    if (isShared) {
      caller.draft().share(made);
    }
    return made;
  }

  /**
   * Returns what other systems agree on: an associative and commutative function for each pair of
   * an accumulator and an element, and an order that selects the greater one.
   */
  private static HloComputation combining(
      Block caller, Place place, List<? extends Shape> parameters) {
    Block block = caller.inner(place, parameters, 1);
    if (place == Place.SELECTOR) {
      Compare greater = new Compare(Compare.Direction.GE, Optional.empty());
      return block.close(block.add(greater, block.instruction(0), block.instruction(1)));
    }
    int count = parameters.size() / 2;
    List<HloInstruction> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ElementType type = ((Shape.Array) parameters.get(i)).elementType();
      parts.add(
          block.add(
              new Elementwise(HigherOrderRows.combining(block.choices(), type)),
              block.instruction(i),
              block.instruction(i + count)));
    }
    return block.close(count == 1 ? parts.get(0) : block.add(new Tuple(), parts, List.of()));
  }

  /** Returns a computation that gives values of any shapes. */
  static HloComputation free(
      Block caller, Place place, List<? extends Shape> parameters, long times) {
    Block block = filled(caller, place, parameters, times);
    HloComputation made = block.close(any(block));
    caller.draft().share(made);
    return made;
  }

  /** Returns a computation without dead instructions, as fusions have. */
  static HloComputation tight(Block caller, List<? extends Shape> parameters) {
    Block block = filled(caller, Place.FUSED, parameters, 1);
    Set<HloInstruction> used = new HashSet<>();
    block.instructions().forEach(each -> used.addAll(each.operands()));
    List<HloInstruction> ends =
        new ArrayList<>(
            Sources.values(block, shape -> true).stream()
                .filter(each -> !used.contains(each))
                .toList());
    boolean isArray = ends.size() == 1 && !(ends.get(0).op() instanceof Parameter);
    return block.closeTight(isArray ? ends.get(0) : block.add(new Tuple(), ends, List.of()));
  }

  /** Returns a computation of parameters and one op, as asynchronous ones are. */
  static HloComputation alone(Block caller, List<? extends Shape> parameters) {
    Block block = caller.inner(Place.ASYNCHRONOUS, parameters, 1);
    HloComputation called = free(block, Place.ASYNCHRONOUS, parameters, 1);
    return block.close(block.add(new Call(), block.instructions(), List.of(called)));
  }

  private static Block filled(
      Block caller, Place place, List<? extends Shape> parameters, long times) {
    HloException.require(caller.depth() <= MAX_DEPTH, "", "too deep");
    Block block = caller.inner(place, parameters, times);
    block.draft().takeWanted(place, block);
    Choices choices = block.choices();
    if (block.times() <= MAX_TIMES && !block.draft().isFull() && !choices.chance(3)) {
      for (int i = choices.below(4); i > 0; i--) {
        OpRows.any(block);
      }
    }
    return block;
  }

  /** Returns a root of a shape: computed of the last values, or of the parameters, or neither. */
  static HloInstruction root(Block block, Shape result) {
    Choices choices = block.choices();
    return switch (result) {
      case Shape.Array array when !array.isDynamic() && !choices.chance(8) ->
          combined(block, array);
      case Shape.Tuple tuple when !choices.chance(8) ->
          block.add(
              new Tuple(),
              tuple.elements().stream().map(each -> root(block, each)).toList(),
              List.of());
      default -> Sources.value(block, result);
    };
  }

  private static HloInstruction combined(Block block, Shape.Array shape) {
    Choices choices = block.choices();
    List<HloInstruction> alike = Sources.values(block, shape.withoutLayout()::equals);
    if (alike.isEmpty() || choices.chance(4)) {
      return ofOther(block, shape);
    }
    HloInstruction one = choices.oneOf(alike);
    HloInstruction other = choices.oneOf(alike);
    for (int attempt = 0; attempt < 3 && other == one; attempt++) {
      other = choices.oneOf(alike);
    }
    return choices.chance(6) ? one : Sources.combined(block, one, other);
  }

  /** Returns an array of a shape made of those of another type, or of none. */
  private static HloInstruction ofOther(Block block, Shape.Array shape) {
    List<HloInstruction> others =
        Sources.values(
            block,
            each ->
                each instanceof Shape.Array array
                    && array.sizes().equals(shape.sizes())
                    && !array.isDynamic());
    if (others.isEmpty()) {
      return Sources.value(block, shape);
    }
    HloInstruction one = block.choices().oneOf(others);
    if (shape.elementType() == ElementType.PRED) {
      List<HloInstruction> pairs =
          others.stream().filter(each -> each.shape().compatible(one.shape())).toList();
      return Sources.compared(block, one, block.choices().oneOf(pairs));
    }
    return block.add(new Convert(shape.elementType()), one);
  }

  /** Returns a root of any shape: a value, or a tuple of some, nested or empty. */
  static HloInstruction any(Block block) {
    Choices choices = block.choices();
    List<HloInstruction> values = Sources.values(block, shape -> true);
    if (values.isEmpty() || choices.chance(20)) {
      return block.add(new Tuple(), List.of(), List.of());
    }
    if (choices.chance(3)) {
      return values.get(values.size() - 1);
    }
    List<HloInstruction> parts = new ArrayList<>();
    for (int i = choices.below(4); i >= 0; i--) {
      parts.add(choices.oneOf(values));
    }
    return block.add(new Tuple(), parts, List.of());
  }

  /**
   * Returns a comparator: the order of a key that is computed alike of both elements, so that it is
   * the same order whatever the algorithm.
   */
  static HloComputation comparator(Block caller, List<ElementType> types, long times) {
    ImmutableList.Builder<Shape> pairs = ImmutableList.builder();
    ImmutableList.Builder<Shape> single = ImmutableList.builder();
    types.forEach(type -> {
      pairs.add(Shape.of(type), Shape.of(type));
      single.add(Shape.of(type));
    });
    Block block = filled(caller, Place.COMPARATOR, pairs.build(), times);
    Choices choices = block.choices();
    HloInstruction left;
    HloInstruction right;
    if (choices.chance(3)) {
      ElementType key = choices.type(type -> !type.isComplex());
      HloComputation of = pure(caller.inner(Place.CALLED, single.build(), times), Shape.of(key));
      left = block.add(new Call(), elements(block, types.size(), 0), List.of(of));
      right = block.add(new Call(), elements(block, types.size(), 1), List.of(of));
    } else {
      int which = choices.below(types.size());
      left = real(block, block.instruction(2 * which));
      right = real(block, block.instruction(2 * which + 1));
    }
    Compare.Direction direction = choices.chance(2) ? Compare.Direction.LT : Compare.Direction.GT;
    boolean isFloat = ((Shape.Array) left.shape()).elementType().isFloating();
    Optional<Compare.Type> order =
        isFloat ? Optional.of(Compare.Type.TOTALORDER) : Optional.empty();
    boolean swaps = choices.chance(4);
    return block.close(
        block.add(new Compare(direction, order), swaps ? right : left, swaps ? left : right));
  }

  /** Returns a computation without effects. */
  private static HloComputation pure(Block block, Shape.Array result) {
    for (int i = block.choices().below(3); i > 0; i--) {
      block.attempt(OpRows.pointwise(block.choices()));
    }
    return block.close(combined(block, result));
  }

  private static HloInstruction real(Block block, HloInstruction element) {
    ElementType type = ((Shape.Array) element.shape()).elementType();
    return type.isComplex() ? block.add(new Convert(type.componentType()), element) : element;
  }

  private static List<HloInstruction> elements(Block block, int count, int side) {
    List<HloInstruction> elements = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      elements.add(block.instruction(2 * i + side));
    }
    return elements;
  }

  /** Refuses a computation that is called too often to be large. */
  static void requireRoom(Block block) {
    HloException.require(mayNest(block), "", "too deep, or too often");
  }
}
