package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;
import org.hlo4j.interpreter.engine.Pieces;

/**
 * The kernel of a scan along a dimension: {@code result[i] = reduction of operand[0..i]}, or of
 * {@code operand[i..]} in reverse. It takes one step for each element.
 *
 * @param shape the shape of operand and result
 * @param outer the product of the sizes of the dimensions before the scanned one
 * @param steps the size of the scanned dimension
 * @param inner the product of the sizes of the dimensions after the scanned one
 * @param body the computation
 * @param isReverse whether the scan begins at the end
 * @param loop the loop, which runs along the dimension if {@code inner} is 1, otherwise across it
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
    int columnBlocks = columns == 0 ? 0 : Math.ceilDiv(inner, columns);
    int units = outer * columnBlocks;
    int unitsPerChunk = Math.max(1, Machine.GRAIN / Math.max(1, steps * columns));
    new Parallel(context, units, unitsPerChunk)
        .run((first, end) -> {
          ElementType wide = body.code().accumulatorType(0);
          Object[] arrays = {input, Storages.allocate(wide, columns), output};
          for (int unit = first; unit < end; unit++) {
            Accumulators.fill(arrays[1], columns, wide, initial, 0, body.type());
            run(arrays, unit / columnBlocks, unit % columnBlocks * columns, columns);
          }
        });
    return Literal.unsafeOf(shape, output);
  }

  private void run(Object[] arrays, int before, int column, int columns) {
    int start = before * steps * inner + column;
    if (inner == 1) {
      int first = isReverse ? start + steps - 1 : start;
      int[] positions = {first, 0, first};
      new Pieces(0, steps).run((from, end) -> loop.run(arrays, positions, from, end));
      return;
    }
    int count = Math.min(columns, inner - column);
    new Pieces(0, steps, count)
        .run((from, end) -> {
          for (int i = from; i < end; i++) {
            int row = start + (isReverse ? steps - 1 - i : i) * inner;
            loop.run(arrays, new int[] {row, 0, row}, 0, count);
          }
        });
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
