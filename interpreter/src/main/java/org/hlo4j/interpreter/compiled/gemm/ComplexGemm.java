package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A dot of complex numbers by plain loops. Sums are accumulated in double in order of k and rounded
 * once, bit for bit as in the reference evaluator.
 */
final class ComplexGemm implements Kernel {
  private final Shape.Array shape;
  private final GemmProblem product;
  private final int[] stepsA;
  private final int[] stepsB;

  ComplexGemm(Shape.Array shape, GemmProblem product) {
    this.shape = shape;
    this.product = product;
    this.stepsA = product.stepsA().toTable();
    this.stepsB = product.stepsB().toTable();
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    double[] a = toDoubles(operands[0]);
    double[] b = toDoubles(operands[1]);
    Object result = context.allocate(shape);
    int rows = product.rows();
    Parallel.forChunks(
        context,
        product.work() >= Machine.MIN_PARALLEL_COMPLEX_WORK,
        product.batches() * rows,
        chunk -> {
          row(a, b, result, chunk / rows, chunk % rows);
        });
    return Literal.unsafeOf(shape, result);
  }

  private static double[] toDoubles(Literal operand) {
    if (operand.unsafeStorage() instanceof double[] doubles) {
      return doubles;
    }
    float[] floats = (float[]) operand.unsafeStorage();
    double[] doubles = new double[floats.length];
    Limits.inPieces(
        0,
        floats.length,
        (from, end) -> {
          for (int i = from; i < end; i++) {
            doubles[i] = floats[i];
          }
        });
    return doubles;
  }

  private void row(double[] a, double[] b, Object result, int batch, int i) {
    int left = product.batchesA().at(batch) + product.rowsA().at(i);
    int to = product.batchesC().at(batch) + product.rowsC().at(i);
    for (int j = 0; j < product.columns(); j++) {
      int right = product.batchesB().at(batch) + product.columnsB().at(j);
      double re = 0;
      double im = 0;
      for (int k = 0; k < stepsA.length; k++) {
        int x = 2 * (left + stepsA[k]);
        int y = 2 * (right + stepsB[k]);
        re += a[x] * b[y] - a[x + 1] * b[y + 1];
        im += a[x] * b[y + 1] + a[x + 1] * b[y];
      }
      store(result, 2 * (to + product.columnsC().at(j)), re, im);
    }
  }

  private static void store(Object result, int at, double re, double im) {
    if (result instanceof float[] floats) {
      floats[at] = (float) re;
      floats[at + 1] = (float) im;
    } else {
      double[] doubles = (double[]) result;
      doubles[at] = re;
      doubles[at + 1] = im;
    }
  }

  @Override
  public String describe() {
    ElementType type = shape.elementType();
    return "product " + type + " " + product + ", plain loops";
  }
}
