package org.hlo4j.interpreter.compiled.copy;

import java.util.ArrayList;
import java.util.List;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.PadConfig;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel that assembles its result from boxes, each copied from an operand to a part of the
 * result.
 */
public final class ConcatenationKernel implements Kernel {
  /** A box: the number of its operand, and its first cells in the operand and in the result. */
  private record Box(BoxCopy copy, int operand, int from, int to) {}

  private final String opcode;
  private final Shape.Array shape;
  private final List<Box> boxes = new ArrayList<>();

  private ConcatenationKernel(String opcode, Shape.Array shape) {
    this.opcode = opcode;
    this.shape = shape;
  }

  private void add(int operand, int[] sizes, int from, int[] fromStrides, int to, int[] toStrides) {
    for (int size : sizes) {
      if (size == 0) {
        return;
      }
    }
    int cells = CellCopies.perElement(shape.elementType());
    BoxCopy copy = BoxCopy.of(shape.elementType(), sizes, fromStrides, toStrides);
    boxes.add(new Box(copy, operand, from * cells, to * cells));
  }

  /** {@code result[..., before + i, ...] = operand[..., i, ...]} for each operand */
  public static Kernel concatenate(Concatenate op, List<Shape.Array> operands, Shape.Array shape) {
    ConcatenationKernel boxes = new ConcatenationKernel("concatenate", shape);
    int[] strides = Strides.of(shape);
    int start = 0;
    for (int i = 0; i < operands.size(); i++) {
      Shape.Array operand = operands.get(i);
      boxes.add(i, Strides.ints(operand.sizes()), 0, Strides.of(operand), start, strides);
      start += (int) operand.size(op.dimension()) * strides[op.dimension()];
    }
    return boxes;
  }

  /**
   * {@code result[low + i * (interior + 1)] = operand[i]} where that is in the result, and the
   * padding value elsewhere. The padding value is copied to the edges only; with interior padding,
   * it is copied to the whole result first.
   */
  public static Kernel pad(PadConfig padding, Shape.Array operand, Shape.Array shape) {
    ConcatenationKernel boxes = new ConcatenationKernel("pad", shape);
    int rank = shape.rank();
    int[] strides = Strides.of(shape);
    int[] steps = Strides.times(strides, padding.interiorPadding());
    int[] inner = new int[rank];
    int[] low = new int[rank];
    int from = 0;
    boolean isInteriorPadded = false;
    for (int d = 0; d < rank; d++) {
      steps[d] += strides[d];
      CroppedRange cropped = CroppedRange.of(padding, d, operand.size(d), shape.size(d));
      inner[d] = cropped.count();
      low[d] = cropped.target();
      from += cropped.first() * Strides.of(operand)[d];
      isInteriorPadded |= padding.interiorPadding().get(d) > 0;
    }
    int[] sizes = Strides.ints(shape.sizes());
    if (isInteriorPadded || Strides.product(inner) == 0) {
      boxes.add(1, sizes, 0, Strides.zeros(rank), 0, strides);
    } else {
      boxes.addEdges(sizes, low, inner, strides);
    }
    int to = 0;
    for (int d = 0; d < rank; d++) {
      to += low[d] * strides[d];
    }
    boxes.add(0, inner, from, Strides.of(operand), to, steps);
    return boxes;
  }

  /**
   * Adds the boxes around a box: for each dimension, those before and after it. In earlier
   * dimensions these extend over the inner box only.
   */
  private void addEdges(int[] sizes, int[] low, int[] inner, int[] strides) {
    int[] none = Strides.zeros(sizes.length);
    int[] slab = sizes.clone();
    int start = 0;
    for (int d = 0; d < sizes.length; d++) {
      slab[d] = low[d];
      add(1, slab, 0, none, start, strides);
      int innerEnd = low[d] + inner[d];
      slab[d] = sizes[d] - innerEnd;
      add(1, slab, 0, none, start + innerEnd * strides[d], strides);
      slab[d] = inner[d];
      start += low[d] * strides[d];
    }
  }

  /**
   * The part of a padded dimension that is in the result: its first index, its size, and the index
   * in the result that it is copied to.
   */
  private record CroppedRange(int first, int count, int target) {
    static CroppedRange of(PadConfig padding, int d, long size, long room) {
      long low = padding.edgePaddingLow().get(d);
      long step = padding.interiorPadding().get(d) + 1;
      long first = low >= 0 ? 0 : Math.min(size, Math.ceilDiv(-low, step));
      long target = low + first * step;
      long fittingCount = target >= room ? 0 : Math.ceilDiv(room - target, step);
      long count = Math.max(0, Math.min(fittingCount, size - first));
      return new CroppedRange((int) first, (int) count, count == 0 ? 0 : (int) target);
    }
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object to = context.allocate(shape);
    for (int i = 0; i < boxes.size(); i++) {
      Box box = boxes.get(i);
      Object from = operands[box.operand()].unsafeStorage();
      box.copy().run(from, box.from(), to, box.to(), context.workers());
    }
    return Literal.unsafeOf(shape, to);
  }

  @Override
  public String describe() {
    return opcode + " to " + shape + ": " + boxes.size() + " boxes";
  }
}
