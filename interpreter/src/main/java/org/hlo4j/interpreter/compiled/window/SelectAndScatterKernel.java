package org.hlo4j.interpreter.compiled.window;

import java.util.Arrays;
import java.util.Optional;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.compiled.copy.BoxCopy;
import org.hlo4j.interpreter.compiled.indexing.PairComputation;
import org.hlo4j.interpreter.compiled.indexing.RowScatterLoop;
import org.hlo4j.interpreter.compiled.indexing.ScalarBody;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The kernel of select-and-scatter: {@code result[selected] = scatter(source[place],
 * result[selected])}, where the result is initialized with the initial value. The leading
 * dimensions that the window does not span are distributed over threads; within them, window
 * positions are processed in order.
 */
public final class SelectAndScatterKernel implements Kernel {
  private final Shape.Array shape;
  private final WindowPositions positions;
  private final ScalarBody<RowScatterLoop> scatter;
  private final Optional<Compare.Direction> direction;
  private final ScalarBody<PairComputation> select;
  private final BoxCopy fill;
  private final int rows;
  private final int independentPartCount;

  public SelectAndScatterKernel(
      SelectAndScatter op,
      Shape.Array shape,
      Shape.Array source,
      HloComputation select,
      HloComputation scatter,
      boolean observesNanBits) {
    this.shape = shape;
    this.positions = new WindowPositions(op.window(), shape);
    this.scatter = ScalarBody.combining(scatter, 1, true, true, observesNanBits);
    this.direction = direction(select);
    this.select = ScalarBody.comparing(select);
    this.rows = source.elementCount() == 0 ? 0 : positions.rows();
    this.independentPartCount = rows == 0 ? 1 : positions.independentPartCount();
    this.fill = BoxCopy.fill(shape.elementType(), shape.elementCount());
  }

  /**
   * {@return the direction of the comparison if the select computation is nothing but a comparison
   * of its parameters}
   */
  private static Optional<Compare.Direction> direction(HloComputation select) {
    HloInstruction root = select.root();
    boolean plain =
        root.op() instanceof Compare compare
            && compare.type().map(type -> type != Compare.Type.TOTALORDER).orElse(true)
            && root.operands().stream().allMatch(operand -> operand.op() instanceof Parameter)
            && root.operands().get(0) == select.parameters().get(0)
            && root.operands().get(1) == select.parameters().get(1);
    return plain ? Optional.of(((Compare) root.op()).direction()) : Optional.empty();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object operand = operands[0].unsafeStorage();
    Object source = operands[1].unsafeStorage();
    Object result = context.allocate(shape);
    fill.run(operands[2].unsafeStorage(), 0, result, 0, context.workers());
    int each = rows / independentPartCount;
    long bytes = 2L * Integer.BYTES * positions.rowLength() + positions.bytes();
    new Parallel(context, select.isGenerated() && scatter.isGenerated(), independentPartCount)
        .reserving(bytes, this::describe)
        .forEach(
            group -> scatter(operand, source, result, group * each, (group + 1) * each, context));
    return Literal.unsafeOf(shape, result);
  }

  private void scatter(
      Object operand, Object source, Object result, int from, int end, KernelContext context) {
    RowScatterLoop scattering = scatter.forRun(context);
    Object[] to = {result};
    Object[] sources = {source};
    int[] selected = new int[positions.rowLength()];
    WindowPositions.SpanWork selectionStep = selectionStep(operand, selected, context);
    Pieces pieces = new Pieces();
    for (int row = from; row < end; row++) {
      pieces.next(selected.length);
      Arrays.fill(selected, -1);
      positions.forEach(row, pieces, selectionStep);
      int[] places = {row * selected.length};
      new Pieces(0, selected.length)
          .run((at, stop) -> scattering.scatter(to, selected, sources, places, at, stop, 0, 1));
    }
  }

  /**
   * Returns the step of the selection for a row of window positions: it decides whether the next
   * element under each window replaces the selected one.
   *
   * @param selected the index of the selected element of each window position; below 0 if there is
   *     none
   */
  private WindowPositions.SpanWork selectionStep(
      Object operand, int[] selected, KernelContext context) {
    if (shape.elementType() == ElementType.F32 && direction.isPresent()) {
      float[] values = (float[]) operand;
      boolean isStrict = direction.get() == Compare.Direction.GT;
      if (isStrict || direction.get() == Compare.Direction.GE) {
        return (span, at) -> nextIfNotBelow(values, isStrict, selected, span, at);
      }
    }
    PairComputation pairing = select.forRun(context);
    Object[] arrays = {operand};
    Pieces pieces = new Pieces();
    return (span, at) -> {
      for (int i = 0; i < span.count(); i++) {
        pieces.next(1);
        int position = span.first() + i * span.step();
        int next = at + i * span.fromStep();
        if (selected[position] < 0 || !pairing.test(arrays, selected[position], next)) {
          selected[position] = next;
        }
      }
    };
  }

  private static void nextIfNotBelow(
      float[] values, boolean isStrict, int[] selected, WindowPositions.Span span, int at) {
    int position = span.first();
    int next = at;
    for (int i = 0; i < span.count(); i++) {
      int before = selected[position];
      boolean stays =
          before >= 0
              && (isStrict ? values[before] > values[next] : values[before] >= values[next]);
      if (!stays) {
        selected[position] = next;
      }
      position += span.step();
      next += span.fromStep();
    }
  }

  @Override
  public String describe() {
    return "select-and-scatter of " + rows + " rows of " + positions.rowLength();
  }
}
