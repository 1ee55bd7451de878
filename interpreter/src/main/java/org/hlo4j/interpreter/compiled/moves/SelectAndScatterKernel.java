package org.hlo4j.interpreter.compiled.moves;

import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * {@code result[selected] = scatter(source[place], result[selected])}, at first init. Threads share
 * the leading dimensions that the window does not look along; within them places go in order.
 */
final class SelectAndScatterKernel implements Kernel {
  private final Shape.Array shape;
  private final WindowPlaces places;
  private final Combine scatter;
  private final Optional<Compare.Direction> direction;
  private final Body select;
  private final BoxCopy fill;
  private final int rows;
  private final int groups;

  private SelectAndScatterKernel(
      SelectAndScatter op,
      Shape.Array shape,
      Shape.Array source,
      HloComputation select,
      Combine scatter) {
    this.shape = shape;
    this.places = new WindowPlaces(op.window(), shape);
    this.scatter = scatter;
    this.direction = direction(select);
    this.select = new Body(select);
    this.rows = source.elementCount() == 0 ? 0 : places.rows();
    this.groups = rows == 0 ? 1 : places.independentRows();
    int[] count = {(int) shape.elementCount()};
    this.fill = BoxCopy.of(shape.elementType(), count, new int[] {0}, new int[] {1});
  }

  /** The kernel, if the scatter computation is one that has loops. */
  static Optional<Kernel> of(
      SelectAndScatter op, List<Shape.Array> in, HloComputation select, HloComputation scatter) {
    return Combine.of(scatter)
        .map(loops -> new SelectAndScatterKernel(op, in.get(0), in.get(1), select, loops));
  }

  /** How the one that is kept compares with others, if that is all; for the types with loops. */
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
    int each = rows / groups;
    context
        .workers()
        .run(
            groups,
            group -> {
              Choice choice = choice(operand, context);
              int[] lines = places.newLines();
              for (int row = group * each; row < (group + 1) * each; row++) {
                context.checkLimits();
                int count = places.lines(row, lines);
                row(choice, source, result, row, lines, count);
              }
            });
    return Literal.unsafeOf(shape, result);
  }

  private void row(Choice choice, Object source, Object result, int row, int[] lines, int count) {
    int length = places.rowLength();
    for (int i = 0; i < length; i++) {
      int kept = -1;
      for (int line = 0; line < count; line++) {
        for (WindowPlaces.Span span : places.spans()) {
          int ahead = i - span.first();
          int number = ahead / span.step();
          if (ahead < 0 || number >= span.count() || number * span.step() != ahead) {
            continue;
          }
          int at = lines[line] + span.from() + number * span.fromStep();
          kept = kept < 0 || !choice.keeps(kept, at) ? at : kept;
        }
      }
      if (kept >= 0) {
        scatter.run(result, kept, source, row * length + i, 1);
      }
    }
  }

  /** Whether the element kept so far stays, against the next. */
  private interface Choice {
    boolean keeps(int kept, int next);
  }

  private Choice choice(Object operand, KernelContext context) {
    if (direction.equals(Optional.of(Compare.Direction.GE)) && operand instanceof float[] values) {
      return (kept, next) -> values[kept] >= values[next];
    }
    if (direction.equals(Optional.of(Compare.Direction.GT)) && operand instanceof float[] values) {
      return (kept, next) -> values[kept] > values[next];
    }
    Body.Applied applied = select.in(context);
    List<Object> arrays = List.of(operand);
    return (kept, next) -> applied.compares(arrays, kept, next);
  }

  @Override
  public String describe() {
    return "select-and-scatter of " + rows + " rows of " + places.rowLength();
  }
}
