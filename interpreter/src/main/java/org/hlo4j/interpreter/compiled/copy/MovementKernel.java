package org.hlo4j.interpreter.compiled.copy;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Movement;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.index.AffineAlgebra;
import org.hlo4j.interpreter.compiled.index.AffineIndex;
import org.hlo4j.interpreter.compiled.index.DynamicStart;
import org.hlo4j.interpreter.compiled.index.IterationSpace;
import org.hlo4j.interpreter.compiled.index.NotAffineException;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel of a movement op: it assembles its result from boxes, each copied from an operand to a
 * part of the result. A box is a part of the iteration space over which the index of the source is
 * affine.
 */
public final class MovementKernel implements Kernel {
  private static final int MAX_BOXES = 1_000;

  /** The element of an operand that holds a start index. */
  private record StartElement(int operand, ElementType type, int position) {}

  /**
   * A box. The first elements of its source and of its target are functions of the start indices.
   *
   * @param loops the number of counters before those of the start indices
   */
  private record Box(
      BoxCopy copy,
      int operand,
      AffineIndex from,
      AffineIndex to,
      int loops,
      ImmutableList<DynamicStart<StartElement>> starts) {
    /** Copies the box. Start indices are clamped so that it fits. */
    void run(Literal[] operands, Object target, int cells, KernelContext context) {
      long[] counters = new long[loops + starts.size()];
      for (int i = 0; i < starts.size(); i++) {
        StartElement element = starts.get(i).value();
        Object storage = operands[element.operand].unsafeStorage();
        long start = Storages.index(element.type, storage, element.position);
        counters[loops + i] = Math.clamp(start, 0, starts.get(i).maxStart());
      }
      Object source = operands[operand].unsafeStorage();
      int first = (int) from.at(counters) * cells;
      copy.run(source, first, target, (int) to.at(counters) * cells, context.workers());
    }
  }

  private final Movement op;
  private final Shape.Array shape;
  private final int cells;
  private final ImmutableList<Box> boxes;

  /** Whether the first box is all of operand 0, whose storage the result may have already. */
  private final boolean isUpdate;

  private MovementKernel(
      Movement op, Shape.Array shape, ImmutableList<Box> boxes, boolean isUpdate) {
    this.op = op;
    this.shape = shape;
    this.cells = shape.elementType().componentCount();
    this.boxes = boxes;
    this.isUpdate = isUpdate;
  }

  /** Returns the kernel; declines if there are very many boxes, or if an element is no copy. */
  public static KernelChoice of(Movement op, List<Shape.Array> operands, Shape.Array shape) {
    boolean areFew = operands.size() <= MAX_BOXES; // to find that out by boxes takes long
    return KernelChoice.of(
        IterationSpace.of(shape.sizes())
            .parts(areFew ? MAX_BOXES : 0, space -> box(space, op, operands, shape))
            .map(boxes -> new MovementKernel(op, shape, boxes, false)),
        "a result that is not made of few boxes");
  }

  /** Returns the kernel of a dynamic-update-slice: the whole operand, and over it the update. */
  public static Kernel update(
      DynamicUpdateSlice op, List<Shape.Array> operands, Shape.Array shape) {
    Shape.Array update = operands.get(1);
    boolean isVector = operands.get(operands.size() - 1).rank() == 1;
    AffineAlgebra<StartElement> x = algebra(IterationSpace.of(update.sizes()), operands);
    List<AffineIndex> index = new ArrayList<>();
    for (int d = 0; d < shape.rank(); d++) {
      List<AffineIndex> at = isVector ? List.of(x.constant(d)) : List.of();
      AffineIndex start = x.start(isVector ? 2 : 2 + d, at, shape.size(d) - update.size(d));
      index.add(AffineIndex.counter(d).plus(start));
    }
    AffineAlgebra<StartElement> whole = algebra(IterationSpace.of(shape.sizes()), operands);
    AffineIndex all = whole.domain().position();
    return new MovementKernel(
        op,
        shape,
        ImmutableList.of(
            box(whole, 0, all, all, shape),
            box(x, 1, x.domain().position(), x.position(index, shape.sizes()), shape)),
        true);
  }

  private static AffineAlgebra<StartElement> algebra(
      IterationSpace space, List<Shape.Array> operands) {
    return new AffineAlgebra<StartElement>(space)
        .withElements((operand, index) -> start(operand, operands.get(operand), index));
  }

  private static Box box(
      IterationSpace space, Movement op, List<Shape.Array> operands, Shape.Array shape) {
    AffineAlgebra<StartElement> x = algebra(space, operands);
    if (op.source(x, operands, shape, x.index(space.position(), shape.sizes()))
        instanceof Movement.Source.Element<AffineIndex>(int operand, List<AffineIndex> index)) {
      AffineIndex from = x.position(index, operands.get(operand).sizes());
      return box(x, operand, from, space.position(), shape);
    }
    throw NotAffineException.impossible();
  }

  private static Box box(
      AffineAlgebra<StartElement> x,
      int operand,
      AffineIndex from,
      AffineIndex to,
      Shape.Array shape) {
    Dims sizes = Dims.copyOf(x.domain().counts().asList());
    int loops = sizes.count();
    BoxCopy copy = BoxCopy.of(shape.elementType(), sizes, strides(from, loops), strides(to, loops));
    return new Box(copy, operand, from, to, loops, x.starts());
  }

  private static StartElement start(int operand, Shape.Array shape, List<AffineIndex> index) {
    int position = index.isEmpty() ? 0 : (int) index.get(0).base();
    return new StartElement(operand, shape.elementType(), position);
  }

  private static Dims strides(AffineIndex position, int loops) {
    return Dims.copyOf(IntStream.range(0, loops).mapToObj(position::coefficient).toList());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object to = context.allocate(shape);
    boolean isInPlace = isUpdate && to == operands[0].unsafeStorage();
    for (Box box : isInPlace ? boxes.subList(1, 2) : boxes) {
      box.run(operands, to, cells, context);
    }
    return Literal.unsafeOf(shape, to);
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return isUpdate && operand == 0;
  }

  @Override
  public String describe() {
    return "%s to %s: %s"
        .formatted(
            op.opcode(), shape, boxes.size() == 1 ? boxes.get(0).copy : boxes.size() + " boxes");
  }
}
