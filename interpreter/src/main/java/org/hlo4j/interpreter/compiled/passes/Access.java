package org.hlo4j.interpreter.compiled.passes;

import static org.hlo4j.interpreter.compiled.passes.Simplification.array;

import java.util.List;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.hlo.op.Movement.Source;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.interpreter.compiled.index.AffineAlgebra;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.NotAffineException;
import org.hlo4j.interpreter.engine.DynamicShapes;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;
import org.jspecify.annotations.Nullable;

/**
 * How a result reads the elements of a source: in each dimension of the source at an affine
 * function of the index in at most one dimension of the result.
 *
 * @param result the shape of the result, which has elements
 * @param source the source
 * @param index the index in each dimension of the source, as a function of the result's
 * @param at the dimension of the result that it depends on; -1 if on none
 */
record Access(Shape.Array result, HloInstruction source, List<AffineIndex> index, Dims at) {
  /** Returns how the op of a value reads its operand; null if no access expresses it. */
  static @Nullable Access of(HloInstruction value, Rewriter rewriter) {
    Shape.Array result = array(value);
    List<AffineIndex> index =
        IntStream.range(0, result.rank()).mapToObj(AffineIndex::counter).toList();
    return result.elementCount() == 0 ? null : through(value, result, index, rewriter);
  }

  /**
   * Returns how the result reads the operand of the source's op; null if no access expresses it.
   */
  @Nullable Access throughSource(Rewriter rewriter) {
    return through(source, result, index, rewriter);
  }

  private static @Nullable Access through(
      HloInstruction moved, Shape.Array result, List<AffineIndex> index, Rewriter rewriter) {
    if (!(moved.op() instanceof Movement op)
        || !OpTraits.of(op).has(Trait.IN_LOOPS)
        || DynamicShapes.hasDynamicShape(moved)) {
      return null;
    }
    AffineAlgebra<Void> x =
        new AffineAlgebra<>(IterationSpace.of(result.sizes())) {
          @Override
          public AffineIndex start(int operand, List<AffineIndex> place, long max) {
            HloInstruction starts = moved.operands().get(operand);
            return constant(max == 0 ? 0 : Math.clamp(known(starts, place), 0, max));
          }
        };
    try {
      List<Shape.Array> shapes = moved.operands().stream().map(Simplification::array).toList();
      return switch (op.source(x, shapes, array(moved), index)) {
        case Source.Element<AffineIndex>(int operand, List<AffineIndex> from) ->
            new Access(
                result,
                moved.operands().get(operand),
                from,
                Dims.of(from.stream().mapToLong(each -> dimension(each, result)).toArray()));
        case Source.Counted<AffineIndex>(AffineIndex value) ->
            counted(array(moved).elementType(), value, result, rewriter);
      };
    } catch (NotAffineException severalParts) {
      return null;
    }
  }

  /** Returns a constant start index, which is a scalar of its own or an element of a vector. */
  private static long known(HloInstruction starts, List<AffineIndex> place) {
    Optional<Literal> known = UniformValues.constant(starts);
    if (known.isEmpty()
        || known.get().elementType() == ElementType.U64
        || place.stream().anyMatch(each -> each.counters() > 0)) {
      throw NotAffineException.impossible();
    }
    return known.get().longAt(place.isEmpty() ? 0 : (int) place.getLast().base());
  }

  /** Returns how a result is one number of an iota everywhere. */
  private static @Nullable Access counted(
      ElementType type, AffineIndex number, Shape.Array result, Rewriter rewriter) {
    int at = dimension(number, result);
    boolean isOne = at < 0 || result.size(at) == 1;
    if (!isOne || !type.isIntegral() || number.base() > type.maxLong()) {
      return null;
    }
    HloInstruction scalar = rewriter.constant(Literal.full(Shape.of(type), number.base()));
    return new Access(result, scalar, List.of(), Dims.of());
  }

  /** Returns the dimension that an index depends on, one that is not of size 1 if there is any. */
  private static int dimension(AffineIndex index, Shape.Array result) {
    int found = -1;
    for (int d = 0; d < index.counters(); d++) {
      boolean isWide = found >= 0 && result.size(found) != 1;
      if (index.coefficient(d) != 0 && isWide && result.size(d) != 1) {
        throw NotAffineException.impossible();
      }
      found = index.coefficient(d) != 0 && !isWide ? d : found;
    }
    return found;
  }

  private Dims sizes() {
    return array(source).sizes();
  }

  private boolean all(IntPredicate holds) {
    return IntStream.range(0, index.size()).allMatch(holds);
  }

  /** Returns how many indices are read in a dimension of the source. */
  private long count(int d) {
    return at.get(d) < 0 ? 1 : result.size(at.getInt(d));
  }

  private long stride(int d) {
    return count(d) == 1 ? 1 : index.get(d).coefficient(at.getInt(d));
  }

  /** Returns whether the source is read from end to end in a dimension, in some order. */
  private boolean isWhole(int d, long stride, long start) {
    return sizes().get(d) == 1
        || (count(d) == sizes().get(d) && stride(d) == stride && index.get(d).base() == start);
  }

  private boolean isWhole(int d) {
    return isWhole(d, 1, 0);
  }

  /** Returns whether all dimensions of the source are read along different ones of the result. */
  private boolean isPlaced() {
    return !at.contains(-1) && at.stream().distinct().count() == at.count();
  }

  /** Returns whether the dimensions of the source are those of the result. */
  private boolean isInPlace() {
    return index.size() == result.rank()
        && all(d -> at.get(d) == d || (result.size(d) == 1 && count(d) == 1));
  }

  /** Returns the op that reads the source so, of the source alone; null if none does. */
  @Nullable Op op() {
    if (!all(this::isWhole)) {
      return !isInPlace() ? null : all(d -> stride(d) > 0) ? slice() : reverse();
    }
    boolean isAll = sizes().product() == result.elementCount();
    if (isAll && at.at(MovementRules.wide(array(source))).isStrictlyIncreasing()) {
      return new Reshape(result);
    } else if (!isPlaced()) {
      return null;
    } else if (isAll) {
      return at.count() == result.rank() ? new Transpose(at.inverse()) : null;
    }
    return new Broadcast(result, at);
  }

  private Op slice() {
    long[] starts = index.stream().mapToLong(AffineIndex::base).toArray();
    long[] strides = IntStream.range(0, starts.length).mapToLong(this::stride).toArray();
    long[] limits =
        IntStream.range(0, starts.length)
            .mapToLong(d -> starts[d] + (count(d) - 1) * strides[d] + 1)
            .toArray();
    return Rewriter.slice(Dims.of(starts), Dims.of(limits), Dims.of(strides));
  }

  private @Nullable Reverse reverse() {
    boolean isTurned = all(d -> isWhole(d) || isWhole(d, -1, sizes().get(d) - 1));
    return isTurned
        ? new Reverse(
            Dims.of(
                IntStream.range(0, index.size()).filter(d -> !isWhole(d)).asLongStream().toArray()))
        : null;
  }

  /** Returns the part of the source that is read, if it is read in order; null if not. */
  @Nullable Op part() {
    return isPlaced() && all(d -> stride(d) > 0) ? slice() : null;
  }
}
