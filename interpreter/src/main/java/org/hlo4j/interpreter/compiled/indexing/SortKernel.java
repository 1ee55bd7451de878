package org.hlo4j.interpreter.compiled.indexing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.op.Sort;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.copy.CellCopies;
import org.hlo4j.interpreter.compiled.index.Offsets;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * A kernel of a sort: {@code result[line, i] = operand[line, order(line)[i]]}. The order is the
 * same for all operands.
 */
public final class SortKernel implements Kernel {
  private static final int CHUNK = 1 << 12;

  private final List<Shape.Array> shapes;
  private final Offsets lines;
  private final int size;
  private final int stride;
  private final int comparedOperandCount;
  private final Optional<SortKey> key;
  private final long bytesPerElement;
  private final ScalarBody<PairComputation> body;

  public SortKernel(Sort op, List<Shape.Array> shapes, HloComputation comparator) {
    Shape.Array shape = shapes.get(0);
    int dimension = op.dimensions().getInt(0);
    Dims others = Dims.range(0, shape.rank()).without(op.dimensions());
    this.shapes = shapes;
    this.lines = Offsets.ofDimensions(others, shape.sizes());
    this.size = shape.sizes().getInt(dimension);
    this.stride = (int) shape.sizes().rowMajorStrides().get(dimension);
    this.comparedOperandCount = comparator.parameters().size() / 2;
    this.key = SortKey.of(comparator);
    this.bytesPerElement = key.map(SortKey::bytesPerElement).orElse(2L * Integer.BYTES);
    this.body = ScalarBody.comparing(comparator);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    List<Object> from = new ArrayList<>();
    List<Object> to = new ArrayList<>();
    for (int i = 0; i < shapes.size(); i++) {
      from.add(operands[i].unsafeStorage());
      to.add(context.allocate(shapes.get(i)));
    }
    int count = size == 0 ? 0 : lines.count();
    int each = Math.max(1, CHUNK / Math.max(1, size));
    new Parallel(context, body.isGenerated(), count, each)
        .reserving(bytesPerElement * size, this::describe)
        .run((first, end) -> sort(from, to, first, end, context));
    return Storages.result(shapes, to);
  }

  private void sort(List<Object> from, List<Object> to, int first, int end, KernelContext context) {
    for (int number = first; number < end; number++) {
      int line = lines.at(number);
      int[] order = order(from, line, context);
      new Pieces(0, size)
          .run((begin, stop) -> {
            for (int i = begin; i < stop; i++) {
              order[i] = line + order[i] * stride;
            }
          });
      for (int k = 0; k < shapes.size(); k++) {
        put(shapes.get(k), from.get(k), order, to.get(k), line);
      }
    }
  }

  private int[] order(List<Object> from, int line, KernelContext context) {
    Optional<int[]> order =
        key.flatMap(known -> {
          Object keys = from.get(known.operand());
          return SortOrder.byKey(known, keys, line, size, stride, context);
        });
    return order.orElseGet(() -> byComparator(from, line, context));
  }

  private int[] byComparator(List<Object> from, int line, KernelContext context) {
    PairComputation comparator = body.forRun(context);
    Object[] compared = from.subList(0, comparedOperandCount).toArray();
    return SortOrder.mergeSort(
        (left, right) -> comparator.test(compared, line + left * stride, line + right * stride),
        size);
  }

  private void put(Shape.Array shape, Object from, int[] at, Object to, int line) {
    if (shape.elementType().isComplex()) {
      new Pieces(0, size)
          .forEach(i -> System.arraycopy(from, 2 * at[i], to, 2 * (line + i * stride), 2));
    } else {
      CellCopies.of(shape.elementType()).gatherAll(from, at, to, line, stride);
    }
  }

  @Override
  public String describe() {
    return "sort of " + lines.count() + " lines of " + size + (key.isPresent() ? " by key" : "");
  }
}
