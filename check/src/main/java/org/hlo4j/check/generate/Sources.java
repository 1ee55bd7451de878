package org.hlo4j.check.generate;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
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
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.CopyStart;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Recv;
import org.hlo4j.hlo.op.Send;

/**
 * How the operands of an instruction come to be: values used before, new ones, and values that are
 * computed of others.
 */
final class Sources {
  /** How many times as many elements all runs of a computation may have together. */
  private static final long MORE_OF_ALL = 7;

  /** How many texts are tried to compute a value, of which some are not of its type. */
  private static final int ATTEMPTS = 3;

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
  static HloInstruction array(Block block, Predicate<ElementType> types, IntPredicate ranks) {
    return block.any(
        types, shape -> ranks.test(shape.rank()) && shape.elementCount() <= most(block));
  }

  /** Returns any value: an array, a tuple, or a token. */
  static HloInstruction any(Block block) {
    return any(block, shape -> !shape.isDynamic());
  }

  /** Returns a value that suits, or any array. */
  static HloInstruction any(Block block, Predicate<Shape> suits) {
    List<HloInstruction> values = values(block, suits);
    return values.isEmpty() || block.choices().chance(4)
        ? array(block, type -> true, rank -> true)
        : block.choices().oneOf(values);
  }

  /** Returns some values, none at times. */
  static List<HloInstruction> some(Block block) {
    return Stream.generate(() -> any(block)).limit(block.choices().below(4)).toList();
  }

  /** Returns one of some shapes or of a new one, or a tuple of several. */
  static Shape outcome(Block block, List<Shape> given) {
    Choices choices = block.choices();
    List<Shape> some = new ArrayList<>(given);
    some.add(shape(block));
    List<Shape> results =
        Stream.generate(() -> choices.oneOf(some)).limit(choices.below(4)).toList();
    return results.size() == 1 ? results.get(0) : new Shape.Tuple(ImmutableList.copyOf(results));
  }

  /** Returns one of the values that suit, or most of those without use and some others. */
  static HloInstruction root(Block block, Predicate<Shape> suits) {
    Choices choices = block.choices();
    List<HloInstruction> values = values(block, suits);
    if (!values.isEmpty() && choices.chance(6)) {
      return values.getLast();
    }
    List<HloInstruction> ends = block.ends();
    return block.tuple(
        values.stream()
            .filter(each -> ends.contains(each) ? !choices.chance(5) : choices.chance(12))
            .toList());
  }

  static List<Shape> shapes(List<HloInstruction> values) {
    return values.stream().map(each -> each.shape().withoutLayout()).toList();
  }

  /** Returns a value of a shape: one that is there, or one made of others. */
  static HloInstruction value(Block block, Shape shape) {
    Shape plain = shape.withoutLayout();
    Choices choices = block.choices();
    List<HloInstruction> found = values(block, plain::equals);
    boolean isNew = !plain.isDynamic() && (found.isEmpty() || choices.chance(3));
    return switch (plain) {
      case Shape.Array array when isNew -> created(block, array);
      case Shape.Tuple tuple when isNew ->
          block.tuple(tuple.elements().stream().map(each -> value(block, each)).toList());
      case Shape.Token _ when isNew ->
          block.add(new AfterAll(), found.subList(0, Math.min(found.size(), 2)), List.of());
      default -> choices.oneOf(found);
    };
  }

  private static HloInstruction created(Block block, Shape.Array shape) {
    boolean isPlain = block.values > 1 || shape.elementCount() > most(block);
    return isPlain || !block.choices().chance(4) ? leaf(block, shape) : computed(block, shape);
  }

  /** Returns an array of a shape that is computed of other values, to some depth. */
  static HloInstruction computed(Block block, Shape.Array shape) {
    block.values++;
    boolean isMade =
        block.attempt(
            ATTEMPTS,
            (_, choices) -> {
              Drawing drawing = new Drawing(block, List.of());
              drawing.result(shape);
              Shape got = OpRows.of("value", choices).write(drawing).shape().withoutLayout();
              require(got.equals(shape), "", "of another type");
            });
    block.values--;
    return isMade ? block.instructions().getLast() : leaf(block, shape);
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

  /** Returns small integers of a type, mostly below a bound, as indices and sizes are. */
  static HloInstruction indices(Block block, Shape.Array shape, long bound) {
    Choices choices = block.choices();
    if (choices.chance(3)) {
      return value(block, shape);
    }
    long spare = choices.chance(3) ? 2 : 0;
    long least = Math.clamp(shape.elementType().minLong(), -spare, 0);
    return given(block, choices.whole(shape, () -> choices.between(least, bound - 1 + spare)));
  }
}
