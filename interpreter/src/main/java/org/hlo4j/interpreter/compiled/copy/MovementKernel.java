package org.hlo4j.interpreter.compiled.copy;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
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
   * A box: its source, whose first element is a function of the start indices, and the first
   * element of its target.
   *
   * @param loops the number of counters before those of the start indices
   */
  private record Box(
      BoxCopy copy,
      int operand,
      AffineIndex from,
      int loops,
      ImmutableList<DynamicStart<StartElement>> starts,
      int to) {
    /** Returns the first element of the source. Start indices are clamped so that the box fits. */
    int from(Literal[] operands) {
      long[] counters = new long[loops + starts.size()];
      for (int i = 0; i < starts.size(); i++) {
        StartElement element = starts.get(i).value();
        Object storage = operands[element.operand].unsafeStorage();
        long start = Storages.index(element.type, storage, element.position);
        counters[loops + i] = Math.clamp(start, 0, starts.get(i).maxStart());
      }
      return (int) from.at(counters);
    }
  }

  private final Movement op;
  private final Shape.Array shape;
  private final int cells;
  private final ImmutableList<Box> boxes;

  private MovementKernel(Movement op, Shape.Array shape, ImmutableList<Box> boxes) {
    this.op = op;
    this.shape = shape;
    this.cells = CellCopies.perElement(shape.elementType());
    this.boxes = boxes;
  }

  /** Returns the kernel; declines if there are very many boxes, or if an element is no copy. */
  public static KernelChoice of(Movement op, List<Shape.Array> operands, Shape.Array shape) {
    return KernelChoice.of(
        IterationSpace.of(shape.sizes())
            .parts(MAX_BOXES, space -> box(space, op, operands, shape))
            .map(boxes -> new MovementKernel(op, shape, boxes)),
        "a result that is not made of few boxes");
  }

  private static Box box(
      IterationSpace space, Movement op, List<Shape.Array> operands, Shape.Array shape) {
    AffineAlgebra<StartElement> x =
        new AffineAlgebra<StartElement>(space)
            .withElements((operand, index) -> start(operand, operands.get(operand), index));
    if (op.source(x, operands, shape, x.index(space.position(), shape.sizes()))
        instanceof Movement.Source.Element<AffineIndex>(int operand, List<AffineIndex> index)) {
      AffineIndex from = x.position(index, operands.get(operand).sizes());
      Dims sizes = Dims.copyOf(space.counts().asList());
      BoxCopy copy =
          BoxCopy.of(
              shape.elementType(),
              sizes,
              strides(from, sizes.count()),
              strides(space.position(), sizes.count()));
      int to = (int) space.position().base();
      return new Box(copy, operand, from, sizes.count(), x.starts(), to);
    }
    throw NotAffineException.impossible();
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
    for (Box box : boxes) {
      Object from = operands[box.operand].unsafeStorage();
      int first = box.from(operands) * cells;
      box.copy.run(from, first, to, box.to * cells, context.workers());
    }
    return Literal.unsafeOf(shape, to);
  }

  @Override
  public String describe() {
    return "%s to %s: %s"
        .formatted(
            op.opcode(), shape, boxes.size() == 1 ? boxes.get(0).copy : boxes.size() + " boxes");
  }
}
