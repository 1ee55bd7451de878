package org.hlo4j.check.generate;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Send;
import org.hlo4j.hlo.op.Slice;

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
    long most = block.draft.maxElements;
    return Math.clamp(MORE_OF_ALL * most / Math.max(1, block.times), 1, most);
  }

  /** Returns the shape of an array, without its layout; a tuple does not suit. */
  static Shape.Array shape(HloInstruction array) {
    if (array.shape().withoutLayout() instanceof Shape.Array shape) {
      return shape;
    }
    throw new HloException("", "no array");
  }

  static ElementType type(HloInstruction array) {
    return shape(array).elementType();
  }

  /** Returns a shape that a computation may have. */
  static Shape.Array shape(Block block, ElementType type, int rank) {
    return Shape.of(type, block.choices().sizes(rank, most(block)));
  }

  /** Returns a shape of any type and rank that a computation may have. */
  static Shape.Array shape(Block block) {
    return shape(block, block.choices().anyType(), block.choices().rank());
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
          block.add(new AfterAll(), found.subList(0, Math.min(found.size(), 2)), List.of());
      default -> choices.oneOf(found);
    };
  }

  private static HloInstruction created(Block block, Shape.Array shape, int depth) {
    int way = depth > 0 && shape.elementCount() <= most(block) ? block.choices().below(5) : 0;
    try {
      return switch (way) {
        case 1 -> fitted(block, shape);
        case 2 -> computed(block, shape, depth - 1);
        default -> leaf(block, shape);
      };
    } catch (HloException unsuitable) {
      return leaf(block, shape);
    }
  }

  /** Returns an array made of any other one: a part of it if it is larger, or all and more. */
  private static HloInstruction fitted(Block block, Shape.Array shape) {
    Choices choices = block.choices();
    HloInstruction any = block.any(each -> each.elementCount() <= most(block));
    HloInstruction x = converted(block, any, shape.elementType());
    long had = shape(x).elementCount();
    long want = shape.elementCount();
    Dims low = Dims.of(choices.between(0, Math.abs(want - had)));
    HloInstruction line = block.add(new Reshape(Shape.of(shape.elementType(), had)), x);
    HloInstruction fitted =
        want <= had
            ? block.add(Slice.of(low, low.plus(Dims.of(want)), Dims.of(1)), line)
            : block.add(
                new Pad(PadConfig.edges(low, Dims.of(want - had).minus(low))),
                line,
                leaf(block, Shape.of(shape.elementType())));
    return block.add(new Reshape(shape), fitted);
  }

  /** Returns an array that depends on nothing: a parameter of the entry, a constant, an iota. */
  static HloInstruction leaf(Block block, Shape.Array shape) {
    Choices choices = block.choices();
    ElementType type = shape.elementType();
    int way = choices.below(block.isEntry() ? 9 : 4);
    if (way > 3) {
      return block.parameter(choices.literal(shape));
    } else if (way == 2 && shape.rank() > 0 && type != ElementType.PRED) {
      return block.add(new Iota(shape, choices.below(shape.rank())));
    }
    return way > 1 && (block.isEntry() || shape.elementCount() <= 64)
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
    long spare = choices.chance(3) ? 2 : 0;
    long least = Math.clamp(shape.elementType().minLong(), -spare, 0);
    return given(block, choices.whole(shape, least, bound - 1 + spare));
  }

  /** Returns an array computed from others of the same sizes. */
  static HloInstruction computed(Block block, Shape.Array shape, int depth) {
    Choices choices = block.choices();
    List<HloInstruction> alike = arrays(block, each -> each.sizes().equals(shape.sizes()));
    boolean isOther = choices.chance(2) && !alike.isEmpty();
    ElementType type = isOther ? type(choices.late(alike)) : choices.anyType();
    Shape.Array other = shape.withElementType(type);
    if (shape.elementType() == ElementType.PRED && choices.chance(2)) {
      List<HloInstruction> both = List.of(value(block, other, depth), value(block, other, depth));
      return new Drawing(block, "compare").add(both);
    } else if (choices.chance(3)) {
      return converted(block, value(block, other, depth), shape.elementType());
    }
    HloInstruction one = value(block, shape, depth);
    HloInstruction two = choices.chance(4) ? one : value(block, shape, depth);
    Shape pred = shape.withElementType(ElementType.PRED);
    return choices.chance(4)
        ? block.add(new Select(), value(block, pred, depth), one, two)
        : combined(block, one, two);
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

  /** Returns what an op of one or two operands makes of two arrays of a shape, in either order. */
  static HloInstruction combined(Block block, HloInstruction one, HloInstruction other) {
    Choices choices = block.choices();
    ElementType type = type(one);
    boolean isAny = choices.chance(3);
    List<Kind> kinds =
        Arrays.stream(Kind.values())
            .filter(kind -> kind.accepts(type) && kind.resultType(type) == type)
            .filter(kind -> isAny || kind == Kind.SUBTRACT || Regions.REDUCTIONS.contains(kind))
            .toList();
    Kind kind = choices.oneOf(kinds);
    boolean swaps = choices.chance(3);
    List<HloInstruction> both = List.of(swaps ? other : one, swaps ? one : other);
    return block.add(new Elementwise(kind), both.subList(0, kind.arity()), List.of());
  }

  /** Returns other sizes of the same product: merged, split and with ones. */
  static Dims factors(Choices choices, Dims sizes) {
    Dims result = choices.chance(3) ? Dims.of(sizes.product()) : sizes;
    for (int i = choices.below(4); i > 0 && result.count() < 6; i--) {
      int at = choices.below(result.count() + 1);
      long one = at == result.count() ? 1 : result.get(at);
      long factor = choices.between(1, 4);
      if (at == result.count()) {
        result = result.inserted(at, 1);
      } else if (one % factor == 0) {
        result = result.with(at, one / factor).inserted(at, factor);
      }
    }
    return result;
  }
}
