package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.check.generate.Restrictions.Trait;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Call;
import org.hlo4j.hlo.op.Compare;
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
          Place.REDUCER, Place.WINDOW, Place.COMBINER, Place.SCATTERER, Place.DEVICES);

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

  /** Returns the identity of a function, a scalar. */
  static HloInstruction identity(Block block, Kind kind, ElementType type) {
    return block.scalar(kind.identity(type).orElseThrow(() -> new HloException("", "no identity")));
  }

  /**
   * Returns a computation with this signature. Where other systems have to agree, it is an
   * associative and commutative function for each pair of an accumulator and an element, or an
   * order that selects the greater one.
   *
   * @param caller the computation of the instruction that calls it
   * @param place where it stands
   * @param parameters the shapes of its parameters
   * @param result the shape of its root
   * @param times how often the instruction runs it, at most
   */
  static HloComputation of(
      Block caller, Place place, List<Shape> parameters, Shape result, long times) {
    boolean isPortable = caller.choices().has(Trait.PORTABLE);
    if (isPortable && place == Place.SELECTOR) {
      Block block = caller.inner(parameters);
      Compare greater = new Compare(Compare.Direction.GE, Optional.empty());
      return block.close(block.add(greater, block.instruction(0), block.instruction(1)));
    } else if (isPortable && COMBINE.contains(place)) {
      return combining(caller.inner(parameters), parameters.size() / 2);
    }
    ProgramShape signature = new ProgramShape(ImmutableList.copyOf(parameters), result);
    Optional<HloComputation> known = caller.draft.shared(signature);
    if (known.isPresent()) {
      return known.get();
    }
    Block block = filled(caller, place, parameters, times);
    return caller.draft.share(block.close(root(block, result)));
  }

  private static HloComputation combining(Block block, int count) {
    List<HloInstruction> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      HloInstruction accumulator = block.instruction(i);
      Kind kind = combining(block.choices(), Sources.type(accumulator));
      parts.add(block.apply(kind, accumulator, block.instruction(i + count)));
    }
    return block.close(count == 1 ? parts.get(0) : block.tuple(parts));
  }

  /** Returns a computation that gives values of any shapes. */
  static HloComputation free(Block caller, Place place, List<Shape> parameters) {
    Block block = filled(caller, place, parameters, 1);
    Choices choices = block.choices();
    List<HloInstruction> values = Sources.values(block, shape -> true);
    boolean isOne = !values.isEmpty() && choices.chance(3);
    int count = values.isEmpty() ? 0 : choices.below(5);
    HloInstruction root =
        isOne
            ? values.getLast()
            : block.tuple(Stream.generate(() -> choices.oneOf(values)).limit(count).toList());
    return caller.draft.share(block.close(root));
  }

  /** Returns a computation without dead instructions, as fusions have. */
  static HloComputation tight(Block caller, List<Shape> parameters) {
    Block block = filled(caller, Place.FUSED, parameters, 1);
    List<HloInstruction> ends =
        block.ends().stream().filter(each -> !Sources.isOpen(each)).toList();
    boolean isArray = ends.size() == 1 && !(ends.get(0).op() instanceof Parameter);
    return block.closeTight(isArray ? ends.get(0) : block.tuple(ends));
  }

  /** Returns a computation of parameters and one op, as asynchronous ones are. */
  static HloComputation alone(Block caller, List<Shape> parameters) {
    Block block = caller.inner(Place.ASYNCHRONOUS, parameters, 1);
    HloComputation called = free(block, Place.ASYNCHRONOUS, parameters);
    return block.close(block.add(new Call(), block.instructions(), List.of(called)));
  }

  private static Block filled(Block caller, Place place, List<Shape> parameters, long times) {
    Block block = caller.inner(place, parameters, times);
    block.draft.takeWanted(block);
    if (block.times <= MAX_TIMES && !block.draft.isFull() && !block.choices().chance(3)) {
      OpRows.some(block, 4);
    }
    return block;
  }

  /** Returns a root of a shape: computed of the last values, or of the parameters, or neither. */
  static HloInstruction root(Block block, Shape result) {
    Choices choices = block.choices();
    return switch (result) {
      case Shape.Array array when !array.isDynamic() && !choices.chance(8) ->
          Sources.computed(block, array, 1);
      case Shape.Tuple tuple when !choices.chance(8) ->
          block.tuple(tuple.elements().stream().map(each -> root(block, each)).toList());
      default -> Sources.value(block, result);
    };
  }

  /**
   * Returns a comparator: the order of a key that is computed alike of both elements, so that it is
   * the same order whatever the algorithm.
   */
  static HloComputation comparator(Block caller, List<Shape> types, long times) {
    List<Shape> parameters = types.stream().flatMap(each -> Stream.of(each, each)).toList();
    Block block = filled(caller, Place.COMPARATOR, parameters, times);
    int which = 2 * block.choices().below(types.size());
    List<HloInstruction> both = block.instructions().subList(which, which + 2);
    return block.close(Pattern.write("comparator", block, both));
  }
}
