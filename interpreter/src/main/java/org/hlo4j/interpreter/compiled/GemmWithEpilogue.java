package org.hlo4j.interpreter.compiled;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
import org.hlo4j.interpreter.compiled.loops.RowEpilogueLoop;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of a product with an epilogue: element-wise ops on the result, computed in place, one
 * part of the result at a time.
 */
final class GemmWithEpilogue implements Kernel {
  private final Shape.Array shape;
  private final GemmKernel product;
  private final int lhs;
  private final int rhs;
  private final RowEpilogueLoop loop;

  GemmWithEpilogue(Shape.Array shape, GemmKernel product, int lhs, int rhs, RowEpilogueLoop loop) {
    this.shape = shape;
    this.product = product;
    this.lhs = lhs;
    this.rhs = rhs;
    this.loop = loop;
  }

  @Override
  public void warmUp() {
    product.warmUp();
  }

  @Override
  public Kernel withFixedOperand(int operand) {
    GemmKernel fixed = operand == rhs ? product.withFixedOperand(1) : product;
    return fixed == product ? this : new GemmWithEpilogue(shape, fixed, lhs, rhs, loop);
  }

  @Override
  public long keptBytes() {
    return product.keptBytes();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    Object[] storages = new Object[operands.length];
    for (int i = 0; i < operands.length; i++) {
      storages[i] = operands[i].unsafeStorage();
    }
    Object[] arrays = loop.arrays(storages, result);
    product.run(
        new Literal[] {operands[lhs], operands[rhs]},
        result,
        context,
        (firstRow, lastRow, from, to) -> loop.run(arrays, context, firstRow, lastRow, from, to));
    return Literal.unsafeOf(shape, result);
  }

  @Override
  public String describe() {
    return product.describe() + ", then " + loop;
  }
}
