package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Sort;

/**
 * The state of a loop, a branch or a call while it is computed: a list of arrays whose first is the
 * counter. A move replaces one of them; all arrays keep their shapes, so any state of the same
 * shapes can take the place of another.
 */
final class StateMoves {
  private final Block block;
  private final Choices choices;
  private final List<HloInstruction> state;

  StateMoves(Block block, List<HloInstruction> state) {
    this.block = block;
    this.choices = block.choices;
    this.state = new ArrayList<>(state);
  }

  ImmutableList<HloInstruction> state() {
    return ImmutableList.copyOf(state);
  }

  Block block() {
    return block;
  }

  HloInstruction counter() {
    return state.get(0);
  }

  void set(int i, HloInstruction value) {
    state.set(i, value);
  }

  /** Returns the index of an array other than the counter. */
  int some() {
    return 1 + choices.below(state.size() - 1);
  }

  /** Makes one move that needs no computation of its own but reducers and comparators. */
  void move() {
    int i = some();
    HloInstruction x = state.get(i);
    switch (choices.below(16)) {
      case 0, 1, 2, 3 -> state.set(i, updated(x));
      case 4 -> swap(i);
      case 5 -> state.set(i, like(i));
      case 6, 7 -> state.set(i, combined(x, like(i)));
      case 8 -> state.set(i, rotated(x));
      case 9 -> state.set(i, combined(x, spread(element(state.get(some())), shape(x))));
      case 10 -> state.set(i, add(new Reverse(Numbers.subset(choices, shape(x).rank())), x));
      case 11 -> state.set(i, add(new Select(), even(shape(x)), x, like(i)));
      case 12 -> state.set(i, combined(x, spread(reduced(state.get(some())), shape(x))));
      case 13 -> state.set(i, scattered(x));
      case 14 -> state.set(i, shifted(x));
      default -> state.set(i, choices.chance(4) ? sorted(x) : add(new Copy(), x));
    }
  }

  private void swap(int i) {
    List<Integer> same = same(shape(state.get(i)));
    Collections.swap(state, i, choices.oneOf(same));
  }

  private List<Integer> same(Shape.Array shape) {
    List<Integer> same = new ArrayList<>();
    for (int i = 1; i < state.size(); i++) {
      if (shape(state.get(i)).equals(shape)) {
        same.add(i);
      }
    }
    return same;
  }

  /** Returns an array of the state of the same shape, itself if there is no other. */
  private HloInstruction like(int i) {
    return state.get(choices.oneOf(same(shape(state.get(i)))));
  }

  /** Returns a value of any instruction of the block, or a constant, of a shape. */
  private HloInstruction given(Shape.Array shape) {
    return choices.chance(3) ? block.leaf(shape) : Numbers.like(block, shape);
  }

  private HloInstruction updated(HloInstruction x) {
    Dims sizes = shape(x).sizes();
    for (int i = 0; i < sizes.count(); i++) {
      sizes = sizes.with(i, piece(sizes.get(i)));
    }
    HloInstruction update = given(Shape.of(shape(x).elementType(), sizes));
    List<HloInstruction> operands = new ArrayList<>(List.of(x, update));
    starts(sizes.count(), operands);
    return block.add(new DynamicUpdateSlice(), operands, List.of());
  }

  /** Returns the size of a piece of a dimension: mostly one element, at times none or all. */
  private long piece(long size) {
    return switch (choices.below(8)) {
      case 0 -> 0;
      case 1 -> size;
      case 2 -> size / 2;
      case 3 -> Math.min(size, 3);
      default -> Math.min(size, 1);
    };
  }

  /** Adds start indices: the counter, multiples of it beyond the array, constants, elements. */
  private void starts(int rank, List<HloInstruction> to) {
    ElementType type = shape(counter()).elementType();
    int of = choices.below(4);
    for (int i = 0; i < rank; i++) {
      to.add(
          switch (of) {
            case 0 -> counter();
            case 1 -> add(new Elementwise(Kind.MULTIPLY), counter(), number(type, 3));
            case 2 -> number(type, choices.below(5));
            default -> add(new Convert(type), integer(element(state.get(some()))));
          });
    }
  }

  /** Returns a number of small size from any scalar. */
  HloInstruction integer(HloInstruction scalar) {
    HloInstruction converted =
        shape(scalar).elementType() == ElementType.S32
            ? scalar
            : add(new Convert(ElementType.S32), scalar);
    return add(new Elementwise(Kind.AND), converted, block.scalar(Literal.of(1)));
  }

  HloInstruction number(ElementType type, int value) {
    return block.scalar(Numbers.scalar(type, value));
  }

  /** Returns one element as a scalar, zero of an array of none. */
  HloInstruction element(HloInstruction x) {
    Shape.Array shape = shape(x);
    if (shape.elementCount() == 0) {
      return number(shape.elementType(), 0);
    }
    List<HloInstruction> operands = new ArrayList<>(List.of(x));
    starts(shape.rank(), operands);
    HloInstruction slice =
        block.add(new DynamicSlice(Dims.filled(shape.rank(), 1)), operands, List.of());
    return shape.isScalar() ? x : add(new Reshape(Shape.of(shape.elementType())), slice);
  }

  /** Returns a scalar as an array of a shape, and converted if need be. */
  private HloInstruction spread(HloInstruction scalar, Shape.Array shape) {
    HloInstruction converted =
        shape(scalar).elementType() == shape.elementType()
            ? scalar
            : add(new Convert(shape.elementType()), scalar);
    return shape.isScalar() ? converted : add(new Broadcast(shape, Dims.of()), converted);
  }

  private HloInstruction combined(HloInstruction x, HloInstruction y) {
    List<Kind> kinds = List.of(Kind.ADD, Kind.SUBTRACT, Kind.MAXIMUM, Kind.MINIMUM, Kind.XOR);
    ElementType type = shape(x).elementType();
    Kind kind = choices.oneOf(kinds.stream().filter(k -> k.accepts(type)).toList());
    boolean swap = choices.chance(2);
    return add(new Elementwise(kind), swap ? y : x, swap ? x : y);
  }

  private HloInstruction sliced(HloInstruction x, int dimension, long start, long limit) {
    Dims sizes = shape(x).sizes();
    return add(
        new Slice(
            new SliceRanges(
                Dims.filled(sizes.count(), 0).with(dimension, start),
                sizes.with(dimension, limit),
                Dims.filled(sizes.count(), 1))),
        x);
  }

  private HloInstruction rotated(HloInstruction x) {
    Shape.Array shape = shape(x);
    HloException.require(shape.rank() > 0, "", "a scalar");
    int dimension = choices.below(shape.rank());
    long size = shape.size(dimension);
    long at = choices.below((int) size + 1);
    return block.add(
        new Concatenate(Dims.of(dimension)),
        List.of(sliced(x, dimension, at, size), sliced(x, dimension, 0, at)),
        List.of());
  }

  /** Moves an array by one: padded in front, cut at the end. */
  private HloInstruction shifted(HloInstruction x) {
    Shape.Array shape = shape(x);
    HloException.require(shape.rank() > 0, "", "a scalar");
    int dimension = choices.below(shape.rank());
    int by = choices.chance(2) ? 1 : -1;
    HloInstruction padding = element(state.get(choices.oneOf(same(shape))));
    return add(
        new Pad(PadConfig.none(shape.rank()).withDimension(dimension, by, -by, 0)), x, padding);
  }

  /** Returns for each element whether the counter is even. */
  private HloInstruction even(Shape.Array shape) {
    HloInstruction is = isEven();
    return shape.isScalar()
        ? is
        : add(new Broadcast(shape.withElementType(ElementType.PRED), Dims.of()), is);
  }

  HloInstruction isEven() {
    ElementType type = shape(counter()).elementType();
    HloInstruction bit = add(new Elementwise(Kind.AND), counter(), number(type, 1));
    return add(new Compare(Compare.Direction.EQ, Optional.empty()), bit, number(type, 0));
  }

  private HloInstruction reduced(HloInstruction x) {
    ElementType type = shape(x).elementType();
    Kind kind =
        type == ElementType.PRED ? Kind.XOR : choices.chance(2) ? Kind.MAXIMUM : Kind.MINIMUM;
    return block.add(
        new Reduce(choices.permutation(shape(x).rank())),
        List.of(x, number(type, 0)),
        List.of(ReduceSteps.body(block, kind, type)));
  }

  /** Replaces single elements by a scatter, one or three of them. */
  private HloInstruction scattered(HloInstruction x) {
    Shape.Array shape = shape(x);
    HloException.require(shape.rank() == 1, "", "not a vector");
    int count = choices.chance(2) ? 1 : 3;
    Shape.Array many = Shape.of(shape(counter()).elementType(), count, 1);
    HloInstruction indices =
        choices.chance(2) ? spread(counter(), many) : block.add(new Iota(many, 0));
    Block put =
        block.inner(
            Numbers.CALLED,
            List.of(Shape.of(shape.elementType()), Shape.of(shape.elementType())),
            1);
    HloInstruction kept = put.instructions().get(choices.below(2));
    return block.add(
        new Scatter(Dims.of(), Dims.of(0), Dims.of(0), Dims.of(), Dims.of(), 1, false, false),
        List.of(x, indices, given(Shape.of(shape.elementType(), count))),
        List.of(put.close(kept)));
  }

  private HloInstruction sorted(HloInstruction x) {
    Shape.Array shape = shape(x);
    HloException.require(shape.rank() > 0, "", "a scalar");
    Shape.Array scalar = Shape.of(shape.elementType());
    Block comparator = block.inner(Numbers.CALLED, List.of(scalar, scalar), 1);
    HloInstruction before =
        comparator.add(
            new Compare(Compare.Direction.LT, Optional.empty()),
            comparator.instructions().get(0),
            comparator.instructions().get(1));
    return block.add(
        new Sort(choices.below(shape.rank()), true), List.of(x), List.of(comparator.close(before)));
  }

  private HloInstruction add(Op op, HloInstruction... operands) {
    return block.add(op, operands);
  }

  static Shape.Array shape(HloInstruction instruction) {
    return (Shape.Array) instruction.shape();
  }
}
