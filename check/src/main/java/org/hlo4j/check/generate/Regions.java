package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Parameter;

/**
 * The computations that instructions call. Some are one op, some ignore what they are given or give
 * it back, and some are programs of their own, with dead instructions and further computations.
 */
final class Regions {
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

  /** The functions that reductions combine by, some more often. */
  static final ImmutableList<Kind> REDUCTIONS =
      ImmutableList.of(
          Kind.ADD,
          Kind.ADD,
          Kind.MAXIMUM,
          Kind.MINIMUM,
          Kind.MULTIPLY,
          Kind.AND,
          Kind.OR,
          Kind.XOR);

  private Regions() {}

  static Kind combining(Choices choices, ElementType type) {
    return choices.oneOf(REDUCTIONS.stream().filter(kind -> kind.accepts(type)).toList());
  }

  /** Returns a reducer of two scalars, with the operands in either order. */
  static HloComputation body(Block block, Kind kind, ElementType type) {
    Block body = block.inner(List.of(Shape.of(type), Shape.of(type)));
    int first = block.choices().chance(4) ? 1 : 0;
    return body.close(body.apply(kind, body.instruction(first), body.instruction(1 - first)));
  }

  /** Returns the identity of a function, a scalar. */
  static HloInstruction identity(Block block, Kind kind, ElementType type) {
    return block.scalar(kind.identity(type).orElseThrow(() -> new HloException("", "no identity")));
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
    return caller.choices().restrictions().isPortable() && COMBINE.contains(place)
        ? combining(caller, place, parameters)
        : caller
            .draft()
            .shared(parameters, result)
            .orElseGet(() -> {
              Block block = filled(caller, place, parameters, times);
              return caller.draft().share(block.close(root(block, result)));
            });
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
      HloInstruction accumulator = block.instruction(i);
      Kind kind = combining(block.choices(), Sources.type(accumulator));
      parts.add(block.apply(kind, accumulator, block.instruction(i + count)));
    }
    return block.close(count == 1 ? parts.get(0) : block.tuple(parts));
  }

  /** Returns a computation that gives values of any shapes. */
  static HloComputation free(Block caller, Place place, List<? extends Shape> parameters) {
    Block block = filled(caller, place, parameters, 1);
    Choices choices = block.choices();
    List<HloInstruction> values = Sources.values(block, shape -> true);
    List<HloInstruction> parts =
        values.isEmpty() || choices.chance(20)
            ? List.of()
            : Stream.generate(() -> choices.oneOf(values)).limit(1 + choices.below(4)).toList();
    boolean isOne = !parts.isEmpty() && choices.chance(3);
    return caller.draft().share(block.close(isOne ? values.getLast() : block.tuple(parts)));
  }

  /** Returns a computation without dead instructions, as fusions have. */
  static HloComputation tight(Block caller, List<? extends Shape> parameters) {
    Block block = filled(caller, Place.FUSED, parameters, 1);
    List<HloInstruction> ends =
        block.ends().stream().filter(each -> !Sources.isOpen(each)).toList();
    boolean isArray = ends.size() == 1 && !(ends.get(0).op() instanceof Parameter);
    return block.closeTight(isArray ? ends.get(0) : block.tuple(ends));
  }

  /** Returns a computation of parameters and one op, as asynchronous ones are. */
  static HloComputation alone(Block caller, List<? extends Shape> parameters) {
    Block block = caller.inner(Place.ASYNCHRONOUS, parameters, 1);
    HloComputation called = free(block, Place.ASYNCHRONOUS, parameters);
    return block.close(block.add(new Call(), block.instructions(), List.of(called)));
  }

  private static Block filled(
      Block caller, Place place, List<? extends Shape> parameters, long times) {
    Block block = caller.inner(place, parameters, times);
    block.draft().takeWanted(place, block);
    if (block.times() <= MAX_TIMES && !block.draft().isFull() && !block.choices().chance(3)) {
      OpRows.some(block, 4);
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
          block.tuple(tuple.elements().stream().map(each -> root(block, each)).toList());
      default -> Sources.value(block, result);
    };
  }

  /** Returns an array of a shape made of those of its sizes, of any type. */
  private static HloInstruction combined(Block block, Shape.Array shape) {
    Choices choices = block.choices();
    List<HloInstruction> alike =
        Sources.arrays(block, array -> array.sizes().equals(shape.sizes()));
    if (alike.isEmpty()) {
      return Sources.value(block, shape);
    }
    HloInstruction one = choices.late(alike);
    List<HloInstruction> others =
        alike.stream().filter(each -> Sources.type(each) == Sources.type(one)).toList();
    HloInstruction other = choices.oneOf(others);
    if (shape.elementType() == ElementType.PRED && Sources.type(one) != ElementType.PRED) {
      return Sources.compared(block, one, other);
    }
    HloInstruction both =
        choices.chance(6) || one == other ? one : Sources.combined(block, one, other);
    return Sources.converted(block, both, shape.elementType());
  }

  /**
   * Returns a comparator: the order of a key that is computed alike of both elements, so that it is
   * the same order whatever the algorithm.
   */
  static HloComputation comparator(Block caller, List<Shape> types, long times) {
    Block block =
        filled(
            caller,
            Place.COMPARATOR,
            types.stream().flatMap(each -> Stream.of(each, each)).toList(),
            times);
    Choices choices = block.choices();
    int which = choices.below(types.size());
    boolean isComputed = choices.chance(3);
    HloComputation key = isComputed ? key(caller, types, times) : block.close(block.last());
    List<HloInstruction> keys = new ArrayList<>();
    for (int side = 0; side < 2; side++) {
      int offset = side;
      List<HloInstruction> elements =
          IntStream.range(0, types.size())
              .mapToObj(i -> block.instruction(2 * i + offset))
              .toList();
      keys.add(
          isComputed
              ? block.add(new Call(), elements, List.of(key))
              : real(block, elements.get(which)));
    }
    Optional<Compare.Type> order =
        Sources.type(keys.get(0)).isFloating()
            ? Optional.of(Compare.Type.TOTALORDER)
            : Optional.empty();
    Compare.Direction direction = choices.chance(2) ? Compare.Direction.LT : Compare.Direction.GT;
    return block.close(
        block.add(
            new Compare(direction, order), choices.chance(4) ? keys.reversed() : keys, List.of()));
  }

  /** Returns a computation without effects. */
  private static HloComputation key(Block caller, List<Shape> types, long times) {
    Block block = caller.inner(Place.CALLED, types, times);
    for (int i = block.choices().below(3); i > 0; i--) {
      block.attempt(OpRows.pointwise(block.choices()));
    }
    ElementType key = block.choices().type(type -> !type.isComplex());
    return block.close(combined(block, Shape.of(key)));
  }

  private static HloInstruction real(Block block, HloInstruction element) {
    ElementType type = Sources.type(element);
    return type.isComplex() ? block.add(new Convert(type.componentType()), element) : element;
  }
}
