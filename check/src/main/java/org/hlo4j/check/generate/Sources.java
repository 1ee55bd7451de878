package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.AfterAll;
import org.hlo4j.hlo.op.AsyncStart;
import org.hlo4j.hlo.op.AsyncUpdate;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Tuple;

/**
 * How the operands of an instruction come to be: values used before, new ones, values that were
 * moved, and values that were computed.
 */
final class Sources {
  /** How many times as many elements all runs of a computation may have together. */
  private static final long MORE_OF_ALL = 7;

  private Sources() {}

  /** Returns the most elements of an array of a computation. */
  static long most(Block block) {
    long most = block.draft().maxElements();
    return Math.max(1, Math.min(most, MORE_OF_ALL * most / Math.max(1, block.times())));
  }

  /** Returns the shape of an array, without its layout. */
  static Shape.Array shape(HloInstruction array) {
    return (Shape.Array) array.shape().withoutLayout();
  }

  /** Returns a shape that a computation may have. */
  static Shape.Array shape(Block block, ElementType type, int rank) {
    return Shape.of(type, block.choices().sizes(rank, most(block)));
  }

  /** Returns an array whose type and rank suit: one used before, or one of a new shape. */
  static HloInstruction array(Block block, Predicate<ElementType> types, int least, int most) {
    Choices choices = block.choices();
    List<HloInstruction> found =
        values(
            block,
            shape ->
                shape instanceof Shape.Array array
                    && !array.isDynamic()
                    && types.test(array.elementType())
                    && array.rank() >= least
                    && array.rank() <= most
                    && array.elementCount() <= most(block));
    if (block.isFollowing() && found.contains(block.last())) {
      return block.last();
    }
    if (!found.isEmpty() && !choices.chance(3)) {
      return found.get(Math.max(choices.below(found.size()), choices.below(found.size())));
    }
    int rank = Math.clamp(choices.rank(), least, most);
    return value(block, shape(block, choices.type(types), rank));
  }

  /** Returns any array. */
  static HloInstruction array(Block block) {
    return array(block, type -> true);
  }

  /** Returns any array of a rank of at least 1. */
  static HloInstruction line(Block block) {
    return line(block, type -> true);
  }

  /** Returns any array of types that suit. */
  static HloInstruction array(Block block, Predicate<ElementType> types) {
    return array(block, types, 0, 5);
  }

  /** Returns an array of types that suit, of a rank of at least 1. */
  static HloInstruction line(Block block, Predicate<ElementType> types) {
    return array(block, types, 1, 5);
  }

  /** Returns numbers of dimensions when there is one more at a place. */
  static Dims shifted(Dims dimensions, int at) {
    return Dims.of(dimensions.stream().map(d -> d >= at ? d + 1 : d).toArray());
  }

  /** Returns a scalar. */
  static HloInstruction scalar(Block block, ElementType type) {
    return value(block, Shape.of(type));
  }

  /** Returns a value of a shape. */
  static HloInstruction value(Block block, Shape shape) {
    return value(block, shape, 2);
  }

  /** Returns a value of a shape, which is moved or computed from others to some depth. */
  static HloInstruction value(Block block, Shape shape, int depth) {
    Shape plain = shape.withoutLayout();
    Choices choices = block.choices();
    List<HloInstruction> found = values(block, plain::equals);
    boolean isNew = found.isEmpty() || choices.chance(3);
    return switch (plain) {
      case Shape.Array array when array.isDynamic() -> choices.oneOf(found);
      case Shape.Array array when isNew -> created(block, array, depth);
      case Shape.Tuple tuple when isNew -> block.add(new Tuple(), values(block, tuple), List.of());
      case Shape.Token _ when isNew -> token(block, found);
      default -> choices.oneOf(found);
    };
  }

  private static ImmutableList<HloInstruction> values(Block block, Shape.Tuple tuple) {
    return tuple.elements().stream()
        .map(each -> value(block, each))
        .collect(ImmutableList.toImmutableList());
  }

  private static HloInstruction token(Block block, List<HloInstruction> tokens) {
    int count = tokens.isEmpty() ? 0 : block.choices().below(3);
    List<HloInstruction> some = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      some.add(block.choices().oneOf(tokens));
    }
    return block.add(new AfterAll(), some, List.of());
  }

  /** Returns the values whose shapes suit, but those that only the end of an op may take. */
  static List<HloInstruction> values(Block block, Predicate<Shape> suits) {
    return block.instructions().stream()
        .filter(each -> !isOpen(each) && suits.test(each.shape().withoutLayout()))
        .toList();
  }

  static boolean isOpen(HloInstruction instruction) {
    return switch (instruction.op()) {
      case CollectiveStart _, AsyncStart _, AsyncUpdate _, CopyStart _, Send _, Recv _ -> true;
      default -> false;
    };
  }

  private static HloInstruction created(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    int way = depth > 0 && shape.elementCount() <= most(block) ? choices.below(4) : 0;
    try {
      return switch (way) {
        case 1 -> Moves.to(block, shape, depth - 1);
        case 2 -> computed(block, shape, depth - 1);
        default -> leaf(block, shape);
      };
    } catch (HloException unsuitable) {
      return leaf(block, shape);
    }
  }

  /** Returns an array that depends on nothing: a parameter of the entry, a constant, an iota. */
  static HloInstruction leaf(Block block, Shape.Array shape) {
    Choices choices = block.choices();
    boolean countable = shape.rank() > 0 && shape.elementType() != ElementType.PRED;
    boolean isSmall = shape.elementCount() <= 64;
    return switch (choices.below(block.isEntry() ? 9 : 4)) {
      case 0 -> block.constant(choices.literal(Shape.of(shape.elementType())), shape);
      case 1 -> block.constant(Numbers.neutral(choices, shape.elementType()), shape);
      case 2 ->
          countable
              ? block.add(new Iota(shape, choices.below(shape.rank())))
              : block.add(new Constant(choices.literal(shape)));
      case 3 ->
          isSmall || block.isEntry()
              ? block.add(new Constant(choices.literal(shape)))
              : block.constant(choices.literal(Shape.of(shape.elementType())), shape);
      default -> block.parameter(choices.literal(shape));
    };
  }

  /** Returns an array with this data: a parameter of the entry or a constant. */
  static HloInstruction given(Block block, Literal literal) {
    return block.isEntry() && !block.choices().chance(3)
        ? block.parameter(literal)
        : block.add(new Constant(literal));
  }

  /** Returns small integers of a type, mostly below a bound, as indices and sizes are. */
  static HloInstruction indices(Block block, Shape.Array shape, long bound) {
    Choices choices = block.choices();
    if (choices.chance(3)) {
      return value(block, shape);
    }
    ElementType type = shape.elementType();
    long spare = choices.chance(3) ? 2 : 0;
    long least = type.minLong() < 0 ? -spare : 0;
    long most =
        Math.min(Math.max(0, bound - 1) + spare, type.bits() == 64 ? bound + 2 : type.maxLong());
    return given(block, choices.whole(shape, Math.max(least, type.minLong()), Math.max(0, most)));
  }

  /** Returns an array computed from one of the same sizes. */
  private static HloInstruction computed(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    ElementType type = shape.elementType();
    HloInstruction same = value(block, shape, depth);
    return switch (choices.below(5)) {
      case 0 -> combined(block, same, value(block, shape, depth));
      case 1 -> {
        List<Kind> kinds =
            Arrays.stream(Kind.values())
                .filter(kind -> kind.accepts(type) && kind.resultType(type) == type)
                .toList();
        Kind kind = choices.oneOf(kinds);
        yield block.add(new Elementwise(kind), Collections.nCopies(kind.arity(), same), List.of());
      }
      case 2 -> {
        HloInstruction pred =
            value(block, choices.chance(4) ? Shape.of(ElementType.PRED) : pred(shape), depth);
        yield block.add(new Select(), pred, same, value(block, shape, depth));
      }
      case 3 -> converted(block, shape, depth);
      default -> same;
    };
  }

  private static Shape.Array pred(Shape.Array shape) {
    return shape.withElementType(ElementType.PRED);
  }

  /** Returns an array converted from one of another type. */
  private static HloInstruction converted(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    ElementType type = shape.elementType();
    ElementType other = choices.type(each -> each != type);
    HloInstruction from = value(block, shape.withElementType(other), depth);
    if (type == ElementType.PRED && choices.chance(2)) {
      return compared(block, from, value(block, shape.withElementType(other), depth));
    }
    boolean sameBits = other.bits() == type.bits() && other.isComplex() == type.isComplex();
    return block.add(sameBits ? new BitcastConvert(type) : new Convert(type), from);
  }

  /** Returns a comparison of two arrays. */
  static HloInstruction compared(Block block, HloInstruction lhs, HloInstruction rhs) {
    Choices choices = block.choices();
    ElementType type = ((Shape.Array) lhs.shape()).elementType();
    List<Compare.Direction> directions =
        type.isComplex()
            ? List.of(Compare.Direction.EQ, Compare.Direction.NE)
            : List.of(Compare.Direction.values());
    Optional<Compare.Type> order =
        type.isFloating() && choices.chance(2)
            ? Optional.of(Compare.Type.TOTALORDER)
            : choices.chance(2) ? Optional.empty() : Optional.of(Compare.Type.defaultFor(type));
    return block.add(new Compare(choices.oneOf(directions), order), lhs, rhs);
  }

  /** Returns what an op of two operands makes of two arrays of one shape, in either order. */
  static HloInstruction combined(Block block, HloInstruction one, HloInstruction other) {
    Choices choices = block.choices();
    ElementType type = ((Shape.Array) one.shape()).elementType();
    List<Kind> kinds =
        Arrays.stream(Kind.values())
            .filter(
                kind -> kind.arity() == 2 && kind.accepts(type) && kind.resultType(type) == type)
            .toList();
    List<Kind> common =
        kinds.stream()
            .filter(kind -> HigherOrderRows.REDUCTIONS.contains(kind) || kind == Kind.SUBTRACT)
            .toList();
    Kind kind = choices.oneOf(choices.chance(3) ? kinds : common);
    boolean swaps = choices.chance(3);
    return block.add(new Elementwise(kind), swaps ? other : one, swaps ? one : other);
  }
}
