package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Copy;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Pointwise;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Transpose;
import org.jspecify.annotations.Nullable;

/**
 * The lowering of instructions to one graph of {@link LoopNode}s: how an element of a result is
 * computed from elements of the inputs. Movement ops become arithmetic on the indices of their
 * operands.
 */
final class IndexLowering {
  private static final int MAX_NODES = 1_500;

  /** One component of an element of an instruction: 0, or 1 for the imaginary part. */
  private record Element(HloInstruction instruction, ImmutableList<AffineIndex> index, int part) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Element that
          && instruction == that.instruction
          && part == that.part
          && index.equals(that.index);
    }

    @Override
    public int hashCode() {
      return 31 * System.identityHashCode(instruction) + index.hashCode();
    }
  }

  private final Inputs inputs;
  private final IndexArithmetic positions;
  private final Map<Element, LoopNode> known = new HashMap<>();
  private final Map<LoopNode, LoopNode> nodes = new HashMap<>();

  IndexLowering(Inputs inputs, IterationSpace domain) {
    this.inputs = inputs;
    this.positions = new IndexArithmetic(domain);
  }

  IndexArithmetic positions() {
    return positions;
  }

  /** Returns a component of the element of an instruction at a row-major position. */
  LoopNode at(HloInstruction instruction, AffineIndex linear, int part) {
    return at(instruction, positions.index(linear, sizes(instruction)), part);
  }

  /** Returns the element of an instruction at an index; the real part if it is complex. */
  LoopNode at(HloInstruction instruction, ImmutableList<AffineIndex> index) {
    return at(instruction, index, 0);
  }

  private LoopNode at(HloInstruction instruction, ImmutableList<AffineIndex> index, int part) {
    Element element = new Element(instruction, index, part);
    LoopNode found = known.get(element);
    if (found != null) {
      return found;
    }
    if (nodes.size() > MAX_NODES) {
      throw NotAffineException.impossible();
    }
    LoopNode made = unique(lower(instruction, index, part));
    known.put(element, made);
    return made;
  }

  private LoopNode unique(LoopNode node) {
    LoopNode same = nodes.putIfAbsent(node, node);
    return same == null ? node : same;
  }

  private LoopNode lower(HloInstruction instruction, ImmutableList<AffineIndex> index, int part) {
    int input = inputs.number(instruction);
    if (input >= 0) {
      AffineIndex position = linear(instruction, index).times(parts(instruction)).plus(part);
      return new LoopNode.Read(input, type(instruction), position);
    }
    return switch (InstructionRole.of(instruction)) {
      case COMPUTES -> lowerElementwise(instruction, index);
      case SELECTS_PART ->
          at(instruction.operands().get(0), index, InstructionRole.part(instruction));
      case HAS_PARTS -> at(instruction.operands().get(part), index);
      case MOVEMENT -> lowerMovement(instruction, index, part);
      case PARAMETER, NONE -> throw NotAffineException.impossible();
    };
  }

  /** {@code result[i] = op(operand[i], ...)}; a scalar operand has the same value for all i. */
  private LoopNode lowerElementwise(HloInstruction instruction, ImmutableList<AffineIndex> index) {
    ImmutableList.Builder<LoopNode> operands = ImmutableList.builder();
    for (HloInstruction operand : instruction.operands()) {
      operands.add(at(operand, sizes(operand).isEmpty() ? ImmutableList.of() : index));
    }
    return new LoopNode.Apply(instruction.op(), type(instruction), operands.build());
  }

  private LoopNode lowerMovement(
      HloInstruction instruction, ImmutableList<AffineIndex> index, int part) {
    List<HloInstruction> operands = instruction.operands();
    HloInstruction first = operands.isEmpty() ? instruction : operands.get(0);
    Dims sizes = sizes(first);
    return switch (instruction.op()) {
      case Constant _ -> new LoopNode.Immediate(inputs.splat(instruction));
      case Iota iota -> counted(type(instruction), index.get(iota.iotaDimension()));
      case Concatenate op -> concatenated(instruction, op.dimension(), index, part);
      case Pad pad -> padded(instruction, pad.padding(), index, part);
      case Bitcast _ -> bitcast(instruction, index);
      case Broadcast op -> at(first, permuted(index, op.dimensions()), part);
      case Transpose op -> at(first, permuted(index, op.dimensions().inverse()), part);
      case Slice op -> at(first, sliced(index, op.slice()), part);
      case Reverse op -> at(first, reversed(index, op.dimensions(), sizes), part);
      case DynamicSlice _ -> at(first, dynamicSliced(instruction, index), part);
      case Copy _, Reshape _ -> at(first, reshaped(instruction, sizes, index), part);
      case Collective _,
          CollectiveStart _,
          Contraction _,
          DynamicUpdateSlice _,
          External _,
          Gather _,
          HigherOrder _,
          ForwardingOp _,
          Pointwise _,
          Routine _,
          Sizing _ ->
          throw NotAffineException.impossible();
    };
  }

  private LoopNode counted(ElementType type, AffineIndex value) {
    return new LoopNode.Count(type, value, !positions.fitsInt(value));
  }

  /**
   * {@code result[i] = operand[index with the same row-major position]}; a copy keeps its index.
   */
  private ImmutableList<AffineIndex> reshaped(
      HloInstruction instruction, Dims sizes, ImmutableList<AffineIndex> index) {
    return sizes.equals(sizes(instruction))
        ? index
        : positions.index(linear(instruction, index), sizes);
  }

  /** {@code result[j] = operand[j[dimensions[0]], j[dimensions[1]], ...]} */
  private static ImmutableList<AffineIndex> permuted(
      ImmutableList<AffineIndex> index, Dims dimensions) {
    return dimensions.stream()
        .mapToObj(dimension -> index.get((int) dimension))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@code result[i] = operand[start + i * strides]} */
  private static ImmutableList<AffineIndex> sliced(
      ImmutableList<AffineIndex> index, SliceRanges ranges) {
    ImmutableList.Builder<AffineIndex> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      long start = ranges.startIndices().get(d);
      next.add(index.get(d).times(ranges.strides().get(d)).plus(start));
    }
    return next.build();
  }

  /** {@code result[i] = operand[size - 1 - i]} */
  private static ImmutableList<AffineIndex> reversed(
      ImmutableList<AffineIndex> index, Dims dimensions, Dims sizes) {
    ImmutableList.Builder<AffineIndex> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      AffineIndex from = index.get(d);
      next.add(dimensions.contains(d) ? from.times(-1).plus(sizes.get(d) - 1) : from);
    }
    return next.build();
  }

  /** {@code result[i] = operand[start + i]}, with the start clamped so that the slice fits */
  private ImmutableList<AffineIndex> dynamicSliced(
      HloInstruction slice, ImmutableList<AffineIndex> index) {
    Dims sizes = sizes(slice.operands().get(0));
    ImmutableList.Builder<AffineIndex> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      long most = sizes.get(d) - sizes(slice).get(d);
      AffineIndex from = index.get(d);
      next.add(
          most == 0 ? from : from.plus(positions.start(new DynamicStart(startOf(slice, d), most))));
    }
    return next.build();
  }

  /**
   * Returns the start in a dimension: a scalar operand, or an element of the only index operand.
   */
  private LoopNode startOf(HloInstruction slice, int dimension) {
    HloInstruction first = slice.operands().get(1);
    LoopNode start =
        sizes(first).isEmpty()
            ? at(slice.operands().get(1 + dimension), ImmutableList.of())
            : at(first, ImmutableList.of(AffineIndex.constant(dimension)));
    requireLoopInvariant(start, new HashSet<>());
    return start;
  }

  /** Rejects a start that itself depends on the start of another slice. */
  private static void requireLoopInvariant(LoopNode node, Set<LoopNode> seen) {
    if (!seen.add(node)) {
      return;
    }
    boolean moves =
        switch (node) {
          case LoopNode.Read read -> read.position().counters() > 0;
          case LoopNode.Count count -> count.value().counters() > 0;
          case LoopNode.Immediate immediate -> false;
          case LoopNode.Apply apply -> {
            apply.operands().forEach(operand -> requireLoopInvariant(operand, seen));
            yield false;
          }
        };
    if (moves) {
      throw NotAffineException.impossible();
    }
  }

  /** {@code result[..., before + i, ...] = operand[..., i, ...]} for each operand */
  private LoopNode concatenated(
      HloInstruction instruction, int dimension, ImmutableList<AffineIndex> index, int part) {
    long[] ends = new long[instruction.operands().size()];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += sizes(instruction.operands().get(i)).get(dimension);
      ends[i] = end;
    }
    int number = positions.region(index.get(dimension), ends);
    long before = number == 0 ? 0 : ends[number - 1];
    AffineIndex inside = index.get(dimension).plus(-before);
    return at(instruction.operands().get(number), replaced(index, dimension, inside), part);
  }

  private static ImmutableList<AffineIndex> replaced(
      ImmutableList<AffineIndex> index, int dimension, AffineIndex by) {
    List<AffineIndex> next = new ArrayList<>(index);
    next.set(dimension, by);
    return ImmutableList.copyOf(next);
  }

  /** {@code result[low + i * (interior + 1)] = operand[i]}, the padding elsewhere */
  private LoopNode padded(
      HloInstruction pad, PadConfig padding, ImmutableList<AffineIndex> index, int part) {
    HloInstruction operand = pad.operands().get(0);
    ImmutableList<AffineIndex> inside = index;
    for (int d = 0; d < index.size(); d++) {
      long step = padding.interiorPadding().get(d) + 1;
      AffineIndex shifted = index.get(d).plus(-padding.edgePaddingLow().get(d));
      ImmutableList<AffineIndex> divided = positions.divideExactly(shifted, step);
      if (divided.isEmpty() || positions.region(divided.get(0), 0, sizes(operand).get(d)) != 1) {
        return at(pad.operands().get(1), ImmutableList.of(), part);
      }
      inside = replaced(inside, d, divided.get(0));
    }
    return at(operand, inside, part);
  }

  /** A reshape, which may also reinterpret the bits as another type. */
  private LoopNode bitcast(HloInstruction instruction, ImmutableList<AffineIndex> index) {
    HloInstruction operand = instruction.operands().get(0);
    LoopNode same = at(operand, positions.index(linear(instruction, index), sizes(operand)));
    return type(operand) == type(instruction)
        ? same
        : new LoopNode.Apply(
            new BitcastConvert(type(instruction)), type(instruction), ImmutableList.of(same));
  }

  private static AffineIndex linear(HloInstruction instruction, ImmutableList<AffineIndex> index) {
    return IndexArithmetic.linear(index, sizes(instruction));
  }

  static Dims sizes(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).sizes();
  }

  /** Returns the type of the elements, or of their components if they are complex. */
  static ElementType type(HloInstruction instruction) {
    return elementType(instruction).componentType();
  }

  /** Returns how many values an element consists of: two if it is complex, otherwise one. */
  static int parts(HloInstruction instruction) {
    return elementType(instruction).isComplex() ? 2 : 1;
  }

  private static ElementType elementType(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }
}
