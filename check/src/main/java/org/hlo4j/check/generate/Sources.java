package org.hlo4j.check.generate;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Send;

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

  static ElementType type(HloInstruction array) {
    return shape(array).elementType();
  }

  /** Returns a shape that a computation may have. */
  static Shape.Array shape(Block block, ElementType type, int rank) {
    return Shape.of(type, block.choices().sizes(rank, most(block)));
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

  /** Returns the arrays of static sizes that suit. */
  static List<HloInstruction> arrays(Block block, Predicate<Shape.Array> suits) {
    return values(
        block,
        shape -> shape instanceof Shape.Array array && !array.isDynamic() && suits.test(array));
  }

  /** Returns an array whose type and rank suit: one used before, or one of a new shape. */
  static HloInstruction array(Block block, Predicate<ElementType> types, int least, int most) {
    return block.any(
        types,
        shape ->
            shape.rank() >= least && shape.rank() <= most && shape.elementCount() <= most(block));
  }

  /** Returns any value: an array, a tuple, or a token. */
  static HloInstruction any(Block block) {
    List<HloInstruction> values = values(block, shape -> !shape.isDynamic());
    return values.isEmpty() || block.choices().chance(4)
        ? array(block, type -> true, 0, 5)
        : block.choices().oneOf(values);
  }

  /** Returns some values, none at times. */
  static List<HloInstruction> some(Block block) {
    return Stream.generate(() -> any(block)).limit(block.choices().below(4)).toList();
  }

  static List<Shape> shapes(List<HloInstruction> values) {
    return values.stream().map(each -> each.shape().withoutLayout()).toList();
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
    boolean isNew = !plain.isDynamic() && (found.isEmpty() || choices.chance(3));
    return switch (plain) {
      case Shape.Array array when isNew -> created(block, array, depth);
      case Shape.Tuple tuple when isNew ->
          block.tuple(tuple.elements().stream().map(each -> value(block, each)).toList());
      case Shape.Token _ when isNew ->
          block.add(
              new AfterAll(),
              found.stream().filter(each -> choices.chance(2)).limit(2).toList(),
              List.of());
      default -> choices.oneOf(found);
    };
  }

  private static HloInstruction created(Block block, Shape.Array shape, int depth) {
    int way = depth > 0 && shape.elementCount() <= most(block) ? block.choices().below(5) : 0;
    try {
      return switch (way) {
        case 1 -> new Fitting(block).fitted(shape);
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
    ElementType type = shape.elementType();
    boolean isCountable = shape.rank() > 0 && type != ElementType.PRED;
    boolean isWhole = shape.elementCount() <= 64 || block.isEntry();
    int way = choices.below(block.isEntry() ? 9 : 4);
    if (way > 3) {
      return block.parameter(choices.literal(shape));
    } else if (way == 2 && isCountable) {
      return block.add(new Iota(shape, choices.below(shape.rank())));
    }
    return way > 1 && isWhole
        ? block.scalar(choices.literal(shape))
        : block.constant(way == 1 ? choices.neutral(type) : choices.literal(Shape.of(type)), shape);
  }

  /** Returns an array with this data: a parameter of the entry or a constant. */
  static HloInstruction given(Block block, Literal literal) {
    return block.isEntry() && !block.choices().chance(3)
        ? block.parameter(literal)
        : block.scalar(literal);
  }

  /** Returns whole numbers as an array of this shape: all the same one. */
  static HloInstruction number(Block block, Shape.Array shape, long number) {
    return given(block, block.choices().whole(shape, number, number));
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

  /** Returns an array computed from others of the same sizes. */
  private static HloInstruction computed(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    Shape.Array other = shape.withElementType(choices.anyType());
    if (shape.elementType() == ElementType.PRED && choices.chance(2)) {
      return compared(block, value(block, other, depth), value(block, other, depth));
    } else if (choices.chance(4)) {
      return converted(block, value(block, other, depth), shape.elementType());
    }
    HloInstruction one = value(block, shape, depth);
    if (choices.chance(4)) {
      Shape pred = choices.chance(4) ? Shape.of(ElementType.PRED) : pred(shape);
      return block.add(new Select(), value(block, pred, depth), one, value(block, shape, depth));
    }
    return combined(block, one, choices.chance(4) ? one : value(block, shape, depth));
  }

  static Shape.Array pred(Shape.Array shape) {
    return shape.withElementType(ElementType.PRED);
  }

  /** Returns an array as one of another type: of its numbers, or of its bits if they fit. */
  static HloInstruction converted(Block block, HloInstruction from, ElementType to) {
    ElementType type = type(from);
    boolean isOfBits = type.bits() == to.bits() && type.isComplex() == to.isComplex();
    return type == to
        ? from
        : block.add(
            isOfBits && block.choices().chance(2) ? new BitcastConvert(to) : new Convert(to), from);
  }

  /** Returns a comparison of two arrays. */
  static HloInstruction compared(Block block, HloInstruction lhs, HloInstruction rhs) {
    return new Drawing(block, "compare").add(List.of(lhs, rhs));
  }

  /** Returns what an op of one or two operands makes of two arrays of a shape, in either order. */
  static HloInstruction combined(Block block, HloInstruction one, HloInstruction other) {
    Choices choices = block.choices();
    ElementType type = type(one);
    List<Kind> kinds =
        Arrays.stream(Kind.values())
            .filter(kind -> kind.accepts(type) && kind.resultType(type) == type)
            .toList();
    List<Kind> common =
        kinds.stream()
            .filter(kind -> Regions.REDUCTIONS.contains(kind) || kind == Kind.SUBTRACT)
            .toList();
    Kind kind = choices.oneOf(choices.chance(3) ? kinds : common);
    boolean swaps = choices.chance(3);
    List<HloInstruction> both = List.of(swaps ? other : one, swaps ? one : other);
    return block.add(new Elementwise(kind), both.subList(0, kind.arity()), List.of());
  }
}
