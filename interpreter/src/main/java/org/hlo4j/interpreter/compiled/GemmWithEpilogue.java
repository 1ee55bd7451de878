package org.hlo4j.interpreter.compiled;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.gemm.GemmKernel;
import org.hlo4j.interpreter.compiled.loops.RowEpilogueLoop;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * The kernel of a product with an epilogue: element-wise ops on the result, computed in place, one
 * block of the result at a time.
 *
 * @param shape the shape of the result
 * @param product computes the product
 * @param lhs the number of the operand that is the left side
 * @param rhs the number of the operand that is the right side
 * @param loop computes the epilogue
 */
record GemmWithEpilogue(
    Shape.Array shape, GemmKernel product, int lhs, int rhs, RowEpilogueLoop loop)
    implements Kernel {
  @Override
  public void warmUp() {
    product.warmUp();
  }

  @Override
  public Kernel withFixedOperand(int operand, KeptForms forms) {
    return operand == rhs
        ? new GemmWithEpilogue(shape, product.withFixedOperand(1, forms), lhs, rhs, loop)
        : this;
  }

  @Override
  public boolean readsOperand(int operand) {
    return operand != rhs || operand == lhs || loop.reads(rhs) || product.readsOperand(1);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    Object[] storages = new Object[operands.length];
    for (int i = 0; i < operands.length; i++) {
      storages[i] = GemmKernel.storage(operands[i]);
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
