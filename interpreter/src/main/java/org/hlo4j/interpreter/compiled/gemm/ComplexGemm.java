package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A dot of complex numbers by plain loops. Each sum is that of the products in double, in order of
 * k, rounded once, bit for bit as in the reference evaluator. It is meant for few steps; dots with
 * more are rewritten as those of the real and imaginary parts before.
 */
record ComplexGemm(Shape.Array shape, GemmProblem product) implements Kernel {
  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    Object a = operands[0].unsafeStorage();
    Object b = operands[1].unsafeStorage();
    int rows = product.rows();
    double each = Math.max(1, (double) product.k() * product.columns());
    int grain = 1 + (int) (Machine.SCALAR_PRODUCT_GRAIN / each);
    new Parallel(context, product.batches() * rows, grain)
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            row(a, b, result, i / rows, i % rows);
          }
        });
    return Literal.unsafeOf(shape, result);
  }

  private void row(Object a, Object b, Object result, int batch, int i) {
    int left = product.batchesA().at(batch) + product.rowsA().at(i);
    int to = product.batchesC().at(batch) + product.rowsC().at(i);
    for (int j = 0; j < product.columns(); j++) {
      int right = product.batchesB().at(batch) + product.columnsB().at(j);
      double re = 0;
      double im = 0;
      for (int k = 0; k < product.k(); k++) {
        int x = 2 * (left + product.stepsA().at(k));
        int y = 2 * (right + product.stepsB().at(k));
        double p = Storages.real(a, x);
        double q = Storages.real(a, x + 1);
        double r = Storages.real(b, y);
        double s = Storages.real(b, y + 1);
        re += p * r - q * s;
        im += p * s + q * r;
      }
      store(result, 2 * (to + product.columnsC().at(j)), re, im);
    }
  }

  private static void store(Object parts, int at, double re, double im) {
    if (parts instanceof float[] floats) {
      floats[at] = (float) re;
      floats[at + 1] = (float) im;
    } else {
      double[] doubles = (double[]) parts;
      doubles[at] = re;
      doubles[at + 1] = im;
    }
  }

  @Override
  public String describe() {
    return "product " + shape.elementType() + " " + product + ", plain loops";
  }
}
