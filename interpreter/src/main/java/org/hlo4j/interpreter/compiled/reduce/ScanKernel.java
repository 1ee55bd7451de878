package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * Reduces along a dimension and gives all that it has on the way: {@code result[i] = reduction of
 * operand[0..i]}, or of {@code operand[i..]} in reverse. One step for each element.
 *
 * @param shape the shape of operand and result
 * @param outer how many positions there are before the dimension
 * @param steps the size of the dimension
 * @param inner how many positions there are behind it
 * @param body the computation
 * @param isReverse whether it goes from the end
 * @param loop the loop, along the dimension if inner is 1, else across
 */
record ScanKernel(
    Shape.Array shape,
    int outer,
    int steps,
    int inner,
    Reducer body,
    boolean isReverse,
    ReduceLoop loop)
    implements Kernel {
  private static final int COLUMNS = 2048;

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object input = operands[0].unsafeStorage();
    Object initial = operands[1].unsafeStorage();
    Object output = context.allocate(shape);
    int columns = Math.min(inner, COLUMNS);
    int across = columns == 0 ? 0 : Math.ceilDiv(inner, columns);
    int units = outer * across;
    int unitsPerChunk = Math.max(1, ReduceKernel.CHUNK / Math.max(1, steps * columns));
    context
        .workers()
        .run(
            Math.ceilDiv(units, unitsPerChunk),
            chunk -> {
              ElementType wide = body.code().accumulatorType(0);
              Object[] arrays = {input, Storages.allocate(wide, columns), output};
              int end = Math.min(units, (chunk + 1) * unitsPerChunk);
              for (int unit = chunk * unitsPerChunk; unit < end; unit++) {
                start(arrays[1], initial, wide, columns);
                run(arrays, unit / across, unit % across * columns, columns);
                context.checkLimits();
              }
            });
    return Literal.unsafeOf(shape, output);
  }

  private void start(Object accumulators, Object initial, ElementType wide, int columns) {
    Number value = ReduceKernel.number(initial, 0, body.type());
    Storages.fill(accumulators, 0, columns, wide, value);
  }

  private void run(Object[] arrays, int before, int column, int columns) {
    int start = before * steps * inner + column;
    if (inner == 1) {
      int first = isReverse ? start + steps - 1 : start;
      loop.run(arrays, new int[] {first, 0, first}, 0, steps);
      return;
    }
    int count = Math.min(columns, inner - column);
    for (int i = 0; i < steps; i++) {
      int row = start + (isReverse ? steps - 1 - i : i) * inner;
      loop.run(arrays, new int[] {row, 0, row}, 0, count);
    }
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return operand == 0;
  }

  @Override
  public String describe() {
    return "scan " + outer + "x" + steps + "x" + inner + (isReverse ? ", reverse" : "");
  }
}
