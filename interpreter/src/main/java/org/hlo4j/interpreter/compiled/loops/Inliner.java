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
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.SliceRanges;
import org.hlo4j.hlo.op.Transpose;
import org.jspecify.annotations.Nullable;

/**
 * Makes one formula of instructions: what an element of the last is in terms of elements of the
 * inputs. Ops that move elements become arithmetic on their positions.
 */
final class Inliner {
  private static final int MAX_NODES = 1_500;

  /** A part of an element of an instruction: 0, or 1 for the imaginary part. */
  private record Element(HloInstruction instruction, ImmutableList<Affine> index, int part) {
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
  private final Positions positions;
  private final Map<Element, Node> known = new HashMap<>();
  private final Map<Node, Node> nodes = new HashMap<>();

  Inliner(Inputs inputs, Domain domain) {
    this.inputs = inputs;
    this.positions = new Positions(domain);
  }

  Positions positions() {
    return positions;
  }

  /** A part of the element of an instruction at a row-major position. */
  Node at(HloInstruction instruction, Affine linear, int part) {
    return at(instruction, positions.index(linear, sizes(instruction)), part);
  }

  /** The element of an instruction at an index; the real part of a complex number. */
  Node at(HloInstruction instruction, ImmutableList<Affine> index) {
    return at(instruction, index, 0);
  }

  private Node at(HloInstruction instruction, ImmutableList<Affine> index, int part) {
    Element element = new Element(instruction, index, part);
    Node found = known.get(element);
    if (found != null) {
      return found;
    }
    if (nodes.size() > MAX_NODES) {
      throw Refine.impossible();
    }
    Node made = unique(made(instruction, index, part));
    known.put(element, made);
    return made;
  }

  private Node unique(Node node) {
    Node same = nodes.putIfAbsent(node, node);
    return same == null ? node : same;
  }

  private Node made(HloInstruction instruction, ImmutableList<Affine> index, int part) {
    int input = inputs.number(instruction);
    if (input >= 0) {
      Affine position = linear(instruction, index).times(parts(instruction)).plus(part);
      return new Node.Read(input, type(instruction), position);
    }
    return switch (Role.of(instruction)) {
      case COMPUTES -> applied(instruction, index);
      case SELECTS_PART -> at(instruction.operands().get(0), index, Role.part(instruction));
      case HAS_PARTS -> at(instruction.operands().get(part), index);
      case MOVES -> moved(instruction, index, part);
      case PARAMETER, NONE -> throw Refine.impossible();
    };
  }

  /** {@code result[i] = op(operand[i], ...)}; an operand that is a scalar is the same for all. */
  private Node applied(HloInstruction instruction, ImmutableList<Affine> index) {
    ImmutableList.Builder<Node> operands = ImmutableList.builder();
    for (HloInstruction operand : instruction.operands()) {
      operands.add(at(operand, sizes(operand).isEmpty() ? ImmutableList.of() : index));
    }
    return new Node.Apply(instruction.op(), type(instruction), operands.build());
  }

  private Node moved(HloInstruction instruction, ImmutableList<Affine> index, int part) {
    Op op = instruction.op();
    if (op instanceof Constant) {
      return new Node.Immediate(inputs.splat(instruction));
    } else if (op instanceof Iota iota) {
      return new Node.Count(type(instruction), index.get(iota.iotaDimension()));
    } else if (op instanceof Concatenate concatenate) {
      return concatenated(instruction, concatenate.dimension(), index, part);
    } else if (op instanceof Pad pad) {
      return padded(instruction, pad.padding(), index, part);
    } else if (op instanceof Bitcast) {
      return bitcast(instruction, index);
    }
    return at(instruction.operands().get(0), from(instruction, index), part);
  }

  /** Where in its first operand an op finds an element of its result. */
  private ImmutableList<Affine> from(HloInstruction instruction, ImmutableList<Affine> index) {
    Op op = instruction.op();
    Dims sizes = sizes(instruction.operands().get(0));
    if (op instanceof Broadcast broadcast) {
      return permuted(index, broadcast.dimensions());
    } else if (op instanceof Transpose transpose) {
      return permuted(index, transpose.dimensions().inverse());
    } else if (op instanceof Slice slice) {
      return sliced(index, slice.slice());
    } else if (op instanceof Reverse reverse) {
      return reversed(index, reverse.dimensions(), sizes);
    } else if (op instanceof DynamicSlice) {
      return fromStart(instruction, index);
    }
    // a reshape, or a copy, whose sizes stay
    return sizes.equals(sizes(instruction))
        ? index
        : positions.index(linear(instruction, index), sizes);
  }

  /** {@code result[j] = operand[j[dimensions[0]], j[dimensions[1]], ...]} */
  private static ImmutableList<Affine> permuted(ImmutableList<Affine> index, Dims dimensions) {
    return dimensions.stream()
        .mapToObj(dimension -> index.get((int) dimension))
        .collect(ImmutableList.toImmutableList());
  }

  /** {@code result[i] = operand[start + i * strides]} */
  private static ImmutableList<Affine> sliced(ImmutableList<Affine> index, SliceRanges ranges) {
    ImmutableList.Builder<Affine> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      long start = ranges.startIndices().get(d);
      next.add(index.get(d).times(ranges.strides().get(d)).plus(start));
    }
    return next.build();
  }

  /** {@code result[i] = operand[size - 1 - i]} */
  private static ImmutableList<Affine> reversed(
      ImmutableList<Affine> index, Dims dimensions, Dims sizes) {
    ImmutableList.Builder<Affine> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      Affine from = index.get(d);
      next.add(dimensions.contains(d) ? from.times(-1).plus(sizes.get(d) - 1) : from);
    }
    return next.build();
  }

  /** {@code result[i] = operand[start + i]}, start clamped so that the box fits */
  private ImmutableList<Affine> fromStart(HloInstruction slice, ImmutableList<Affine> index) {
    Dims sizes = sizes(slice.operands().get(0));
    ImmutableList.Builder<Affine> next = ImmutableList.builder();
    for (int d = 0; d < index.size(); d++) {
      long most = sizes.get(d) - sizes(slice).get(d);
      Affine from = index.get(d);
      next.add(most == 0 ? from : from.plus(positions.start(new Start(startOf(slice, d), most))));
    }
    return next.build();
  }

  /** The start in a dimension: a scalar of its own, or an element of the one vector. */
  private Node startOf(HloInstruction slice, int dimension) {
    HloInstruction first = slice.operands().get(1);
    Node start =
        sizes(first).isEmpty()
            ? at(slice.operands().get(1 + dimension), ImmutableList.of())
            : at(first, ImmutableList.of(Affine.constant(dimension)));
    requireStill(start, new HashSet<>());
    return start;
  }

  /** Refuses a start that itself depends on where another slice starts. */
  private static void requireStill(Node node, Set<Node> seen) {
    if (!seen.add(node)) {
      return;
    }
    boolean moves =
        switch (node) {
          case Node.Read read -> read.position().counters() > 0;
          case Node.Count count -> count.value().counters() > 0;
          case Node.Immediate immediate -> false;
          case Node.Apply apply -> {
            apply.operands().forEach(operand -> requireStill(operand, seen));
            yield false;
          }
        };
    if (moves) {
      throw Refine.impossible();
    }
  }

  /** {@code result[..., before + i, ...] = operand[..., i, ...]}, operand after operand */
  private Node concatenated(
      HloInstruction instruction, int dimension, ImmutableList<Affine> index, int part) {
    long[] ends = new long[instruction.operands().size()];
    long end = 0;
    for (int i = 0; i < ends.length; i++) {
      end += sizes(instruction.operands().get(i)).get(dimension);
      ends[i] = end;
    }
    int number = positions.region(index.get(dimension), ends);
    long before = number == 0 ? 0 : ends[number - 1];
    Affine inside = index.get(dimension).plus(-before);
    return at(instruction.operands().get(number), replaced(index, dimension, inside), part);
  }

  private static ImmutableList<Affine> replaced(
      ImmutableList<Affine> index, int dimension, Affine by) {
    List<Affine> next = new ArrayList<>(index);
    next.set(dimension, by);
    return ImmutableList.copyOf(next);
  }

  /** {@code result[low + i * (interior + 1)] = operand[i]}, the padding elsewhere */
  private Node padded(
      HloInstruction pad, PadConfig padding, ImmutableList<Affine> index, int part) {
    HloInstruction operand = pad.operands().get(0);
    ImmutableList<Affine> inside = index;
    for (int d = 0; d < index.size(); d++) {
      long step = padding.interiorPadding().get(d) + 1;
      Affine shifted = index.get(d).plus(-padding.edgePaddingLow().get(d));
      ImmutableList<Affine> divided = positions.divided(shifted, step);
      if (divided.isEmpty() || positions.region(divided.get(0), 0, sizes(operand).get(d)) != 1) {
        return at(pad.operands().get(1), ImmutableList.of(), part);
      }
      inside = replaced(inside, d, divided.get(0));
    }
    return at(operand, inside, part);
  }

  /** As reshape, and perhaps the same bits as another type. */
  private Node bitcast(HloInstruction instruction, ImmutableList<Affine> index) {
    HloInstruction operand = instruction.operands().get(0);
    Node same = at(operand, positions.index(linear(instruction, index), sizes(operand)));
    return type(operand) == type(instruction)
        ? same
        : new Node.Apply(
            new BitcastConvert(type(instruction)), type(instruction), ImmutableList.of(same));
  }

  private static Affine linear(HloInstruction instruction, ImmutableList<Affine> index) {
    return Positions.linear(index, sizes(instruction));
  }

  static Dims sizes(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).sizes();
  }

  /** The type of elements, or of the parts that they consist of. */
  static ElementType type(HloInstruction instruction) {
    return elementType(instruction).componentType();
  }

  /** Of how many values an element consists: two, if it is complex. */
  static int parts(HloInstruction instruction) {
    return elementType(instruction).isComplex() ? 2 : 1;
  }

  private static ElementType elementType(HloInstruction instruction) {
    return ((Shape.Array) instruction.shape()).elementType();
  }
}
