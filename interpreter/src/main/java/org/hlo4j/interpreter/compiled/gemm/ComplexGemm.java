package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A dot of complex numbers by plain loops. Sums are accumulated in double in order of k and rounded
 * once, bit for bit as in the reference evaluator.
 */
record ComplexGemm(Shape.Array shape, GemmProblem product) implements Kernel {
  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    double[] a = parts(operands[0], context);
    double[] b = parts(operands[1], context);
    Object result = context.allocate(shape);
    int rows = product.rows();
    double each = (double) product.k() * product.columns();
    Parallel.forRange(
        context,
        product.batches() * rows,
        1 + (int) (Machine.SCALAR_PRODUCT_GRAIN / Math.max(1, each)),
        (first, end) -> {
          for (int i = first; i < end; i++) {
            row(a, b, result, i / rows, i % rows);
          }
        });
    giveBack(a, operands[0], context);
    giveBack(b, operands[1], context);
    return Literal.unsafeOf(shape, result);
  }

  private static Shape.Array partsShape(Literal operand) {
    return Shape.of(ElementType.F64, 2L * operand.elementCount());
  }

  private static void giveBack(double[] parts, Literal operand, KernelContext context) {
    if (!(operand.unsafeStorage() instanceof double[])) {
      context.giveBack(partsShape(operand), parts);
    }
  }

  private static double[] parts(Literal operand, KernelContext context) {
    if (operand.unsafeStorage() instanceof double[] doubles) {
      return doubles;
    }
    float[] floats = (float[]) operand.unsafeStorage();
    double[] doubles = (double[]) context.borrow(partsShape(operand), "an operand in c128");
    for (int i = 0; i < floats.length; i++) {
      doubles[i] = floats[i];
    }
    return doubles;
  }

  private void row(double[] a, double[] b, Object result, int batch, int i) {
    int left = product.batchesA().at(batch) + product.rowsA().at(i);
    int to = product.batchesC().at(batch) + product.rowsC().at(i);
    for (int j = 0; j < product.columns(); j++) {
      int right = product.batchesB().at(batch) + product.columnsB().at(j);
      double re = 0;
      double im = 0;
      for (int k = 0; k < product.k(); k++) {
        int x = 2 * (left + product.stepsA().at(k));
        int y = 2 * (right + product.stepsB().at(k));
        re += a[x] * b[y] - a[x + 1] * b[y + 1];
        im += a[x] * b[y + 1] + a[x + 1] * b[y];
      }
      int at = 2 * (to + product.columnsC().at(j));
      if (result instanceof float[] floats) {
        floats[at] = (float) re;
        floats[at + 1] = (float) im;
      } else {
        double[] doubles = (double[]) result;
        doubles[at] = re;
        doubles[at + 1] = im;
      }
    }
  }

  @Override
  public String describe() {
    return "product " + shape.elementType() + " " + product + ", plain loops";
  }
}
