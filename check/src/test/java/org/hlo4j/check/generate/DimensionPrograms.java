package org.hlo4j.check.generate;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.check.Program;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.Elementwise.Kind;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.hlo.op.Transpose;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.Window;

/**
 * Programs over arrays with dimensions of size 0, 1 and far beyond an int, of which few elements or
 * none are ever stored, and with attributes as large; their reductions list their dimensions in any
 * order.
 */
final class DimensionPrograms {
  private static final List<Long> HUGE = List.of(1L << 31, (1L << 31) + 5, 1L << 33, 1L << 40);
  private static final List<ElementType> TYPES =
      List.of(ElementType.F32, ElementType.S32, ElementType.S64, ElementType.U8, ElementType.F64);

  private final Choices choices;
  private final Block entry;

  private DimensionPrograms(Choices choices) {
    this.choices = choices;
    this.entry = Block.entry(new ProgramDraft(choices));
  }

  static Program of(long seed) {
    DimensionPrograms program = new DimensionPrograms(new Choices(seed, new Restrictions()));
    HloInstruction root = program.root();
    return new Program(
        HloModule.create("dimensions", program.entry.close(root)),
        ImmutableList.copyOf(program.entry.arguments));
  }

  private HloInstruction root() {
    List<HloInstruction> arrays = new ArrayList<>();
    arrays.add(entry.parameter(choices.literal(Shape.of(choices.oneOf(TYPES), sizes()))));
    for (int i = 1 + choices.below(6); i > 0; i--) {
      try {
        arrays.add(step(choices.oneOf(arrays)));
      } catch (HloException unsuitable) {
        // This step does not suit the array; the next one may.
      }
    }
    return entry.add(new Tuple(), arrays, List.of());
  }

  /** Returns sizes of up to four dimensions: small, or none at all beside any that are huge. */
  private Dims sizes() {
    boolean isEmpty = choices.chance(2);
    Dims sizes = Dims.of();
    int rank = 1 + choices.below(4);
    for (int i = 0; i < rank; i++) {
      long small = choices.oneOf(List.of(1L, 1L, 2L, 3L, 5L, 7L));
      sizes = sizes.inserted(i, isEmpty && choices.chance(2) ? choices.oneOf(HUGE) : small);
    }
    return isEmpty ? sizes.with(choices.below(rank), 0) : sizes;
  }

  private HloInstruction step(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    int rank = shape.rank();
    HloException.require(rank > 0, "", "a scalar");
    return switch (choices.below(13)) {
      case 0 -> entry.add(new Transpose(choices.permutation(rank)), x);
      case 1 -> entry.add(new Reverse(choices.permutation(rank).subList(0, 1)), x);
      case 2 -> sliced(x);
      case 3 -> padded(x);
      case 4 -> entry.add(new Concatenate(Dims.of(choices.below(rank))), x, x);
      case 5 -> reduced(x);
      case 6 -> windowed(x);
      case 7 -> dynamic(x);
      case 8 -> sorted(x);
      case 9 -> broadcast(x);
      case 10 -> entry.add(new Iota((Shape.Array) shape.withoutLayout(), choices.below(rank)));
      case 11 -> entry.add(new Elementwise(Kind.MAXIMUM), x, x);
      default -> entry.add(new Elementwise(Kind.ADD), x, Numbers.like(entry, shape));
    };
  }

  /** Slices with strides of up to 2^40, which leave one element. */
  private HloInstruction sliced(HloInstruction x) {
    Dims sizes = StateMoves.shape(x).sizes();
    Dims starts = Dims.filled(sizes.count(), 0);
    Dims strides = Dims.filled(sizes.count(), 1);
    for (int i = 0; i < sizes.count(); i++) {
      long last = Math.max(0, sizes.get(i) - 1);
      starts = starts.with(i, choices.oneOf(List.of(0L, last / 2, last)));
      strides = strides.with(i, choices.oneOf(List.of(1L, 2L, 1L << 31, 1L << 40)));
    }
    return entry.add(new Slice(new SliceRanges(starts, sizes, strides)), x);
  }

  /** Pads, also by less than nothing, and between elements by as much as no int counts. */
  private HloInstruction padded(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    PadConfig config = PadConfig.none(shape.rank());
    for (int i = 0; i < shape.rank(); i++) {
      long size = shape.size(i);
      boolean isLone = size <= 1;
      boolean cutsBack = size == 2 && choices.chance(3);
      long interior =
          isLone || cutsBack ? choices.oneOf(HUGE) : choices.chance(3) ? choices.below(3) : 0;
      long high = cutsBack ? -interior : choices.below(4) - 1;
      config = config.withDimension(i, choices.below(4) - 1, high, interior);
    }
    return entry.add(new Pad(config), x, Numbers.like(entry, Shape.of(shape.elementType())));
  }

  private HloInstruction reduced(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    Dims dimensions = choices.permutation(shape.rank()).subList(0, choices.below(shape.rank() + 1));
    return entry.add(
        new Reduce(dimensions),
        List.of(x, Numbers.like(entry, Shape.of(shape.elementType()))),
        List.of(reducer(shape.elementType())));
  }

  /**
   * Returns a reducer that depends on the order: what is so far, negated or twice, and the next.
   */
  private HloComputation reducer(ElementType type) {
    if (type.isFloating() || choices.chance(2)) {
      return ReduceSteps.body(entry, Kind.MAXIMUM, type);
    }
    Block block = entry.inner(Numbers.CALLED, List.of(Shape.of(type), Shape.of(type)), 1);
    HloInstruction twice =
        block.add(
            new Elementwise(Kind.ADD), block.instructions().get(0), block.instructions().get(0));
    return block.close(
        block.add(new Elementwise(Kind.SUBTRACT), twice, block.instructions().get(1)));
  }

  /** Appends a reduce-window whose dilations, strides and windows are huge where sizes are 1. */
  private HloInstruction windowed(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    int rank = shape.rank();
    long[] size = new long[rank];
    long[] stride = new long[rank];
    long[] windowDilation = new long[rank];
    long[] baseDilation = new long[rank];
    for (int i = 0; i < rank; i++) {
      boolean isLone = shape.size(i) == 1;
      size[i] = isLone ? 1 : 1 + choices.below(2);
      stride[i] = choices.chance(3) ? choices.oneOf(HUGE) : 1 + choices.below(2);
      windowDilation[i] = size[i] == 1 && choices.chance(3) ? choices.oneOf(HUGE) : 1;
      baseDilation[i] = shape.size(i) <= 1 && choices.chance(3) ? choices.oneOf(HUGE) : 1;
    }
    Window window =
        Window.of(size)
            .withStrides(stride)
            .withWindowDilation(windowDilation)
            .withBaseDilation(baseDilation);
    return entry.add(
        new ReduceWindow(window),
        List.of(x, Numbers.like(entry, Shape.of(shape.elementType()))),
        List.of(reducer(shape.elementType())));
  }

  private HloInstruction dynamic(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    Dims sizes = MoveSteps.smaller(choices, Dims.filled(shape.rank(), 1));
    for (int i = 0; i < shape.rank(); i++) {
      sizes = sizes.with(i, Math.min(sizes.get(i), shape.size(i)));
    }
    boolean updates = choices.chance(2);
    List<HloInstruction> operands = new ArrayList<>(List.of(x));
    if (updates) {
      operands.add(Numbers.like(entry, shape.elementType(), sizes));
    }
    for (int i = 0; i < shape.rank(); i++) {
      operands.add(
          Numbers.like(entry, Shape.of(choices.chance(2) ? ElementType.S64 : ElementType.U64)));
    }
    return entry.add(
        updates ? new DynamicUpdateSlice() : new DynamicSlice(sizes), operands, List.of());
  }

  private HloInstruction sorted(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    Shape.Array scalar = Shape.of(shape.elementType());
    Block block = entry.inner(Numbers.CALLED, List.of(scalar, scalar), 1);
    HloInstruction before =
        block.add(
            new Compare(Compare.Direction.LT, Optional.empty()),
            block.instructions().get(0),
            block.instructions().get(1));
    return entry.add(
        new Sort(choices.below(shape.rank()), choices.chance(2)),
        List.of(x),
        List.of(block.close(before)));
  }

  private HloInstruction broadcast(HloInstruction x) {
    Shape.Array shape = StateMoves.shape(x);
    long size = shape.elementCount() == 0 ? choices.oneOf(HUGE) : choices.below(4);
    return entry.add(
        new Broadcast(
            Shape.of(shape.elementType(), shape.sizes().inserted(0, size)),
            Dims.range(1, shape.rank() + 1)),
        x);
  }
}
