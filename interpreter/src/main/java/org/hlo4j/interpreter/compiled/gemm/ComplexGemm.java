package org.hlo4j.interpreter.compiled.gemm;

import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A dot of complex numbers. With few steps, each sum is that of the products in double, in order of
 * k, bit for bit as in the reference evaluator. Others are four products of the real and imaginary
 * parts in f64, which are then added: by plain loops if there is little work in one block of steps.
 * Both are rounded once.
 */
final class ComplexGemm implements Kernel {
  private final Shape.Array shape;
  private final GemmProblem product;
  private final GemmAlgorithm algorithm;
  private final boolean isByLoops;
  private final int lanes;

  ComplexGemm(Shape.Array shape, GemmProblem product) {
    GemmConfig config = GemmConfig.dot(AccumulatorType.F64, product, null, null);
    this.shape = shape;
    this.product = product;
    this.algorithm = GemmAlgorithm.of(config);
    GemmPlanner.SumOrder order = GemmPlanner.order(config);
    this.lanes = order.lanes();
    this.isByLoops =
        product.k() <= DotKernels.FEW_COMPLEX_STEPS
            || (product.work() < DotKernels.MIN_COMPLEX_WORK
                && order.parts() == 1
                && product.k() / lanes <= order.maxLength());
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object result = context.allocate(shape);
    if (isByLoops) {
      runLoops(operands, result, context);
    } else {
      runProducts(operands, result, context);
    }
    return Literal.unsafeOf(shape, result);
  }

  private void runLoops(Literal[] operands, Object result, KernelContext context) {
    double[] a = parts(operands[0], context);
    double[] b = parts(operands[1], context);
    int rows = product.rows();
    double each = (double) product.k() * product.columns();
    new Parallel(
            context,
            product.batches() * rows,
            1 + (int) (Machine.SCALAR_PRODUCT_GRAIN / Math.max(1, each)))
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            row(a, b, result, i / rows, i % rows);
          }
        });
    giveBackParts(a, operands[0], context);
    giveBackParts(b, operands[1], context);
  }

  /** {@return real and imaginary parts in turn} */
  private static double[] parts(Literal operand, KernelContext context) {
    return operand.unsafeStorage() instanceof double[] doubles
        ? doubles
        : parts(operand, 0, 1, context);
  }

  /** {@return every so many parts of an operand, from a first one on} */
  private static double[] parts(Literal operand, int first, int step, KernelContext context) {
    int count = 2 * operand.elementCount() / step;
    double[] to = borrow(count, context);
    Object from = operand.unsafeStorage();
    new Parallel(context, count, Machine.COPY_GRAIN)
        .run((begin, end) -> {
          for (int i = begin; i < end; i++) {
            int at = first + i * step;
            to[i] = from instanceof float[] floats ? floats[at] : ((double[]) from)[at];
          }
        });
    return to;
  }

  private static double[] borrow(int count, KernelContext context) {
    return (double[]) context.borrow(Shape.of(ElementType.F64, count), "complex numbers in f64");
  }

  private static void giveBack(double[] storage, int count, KernelContext context) {
    context.giveBack(Shape.of(ElementType.F64, count), storage);
  }

  private static void giveBackParts(double[] parts, Literal operand, KernelContext context) {
    if (parts != operand.unsafeStorage()) {
      giveBack(parts, 2 * operand.elementCount(), context);
    }
  }

  private void row(double[] a, double[] b, Object result, int batch, int i) {
    int left = product.batchesA().at(batch) + product.rowsA().at(i);
    int to = product.batchesC().at(batch) + product.rowsC().at(i);
    for (int j = 0; j < product.columns(); j++) {
      int right = product.batchesB().at(batch) + product.columnsB().at(j);
      int at = to + product.columnsC().at(j);
      if (product.k() <= DotKernels.FEW_COMPLEX_STEPS) {
        addProducts(a, b, left, right, result, at);
      } else {
        addParts(a, b, left, right, result, at);
      }
    }
  }

  private void addProducts(double[] a, double[] b, int left, int right, Object result, int at) {
    double re = 0;
    double im = 0;
    for (int k = 0; k < product.k(); k++) {
      int x = 2 * (left + product.stepsA().at(k));
      int y = 2 * (right + product.stepsB().at(k));
      re += a[x] * b[y] - a[x + 1] * b[y + 1];
      im += a[x] * b[y + 1] + a[x + 1] * b[y];
    }
    store(result, at, re, im);
  }

  private void addParts(double[] a, double[] b, int left, int right, Object result, int at) {
    int whole = lanes == 1 ? 0 : product.k() / lanes * lanes;
    double real = sumOfLanes(a, b, 2 * left, 2 * right, whole);
    double imaginary = sumOfLanes(a, b, 2 * left + 1, 2 * right + 1, whole);
    double mixed = sumOfLanes(a, b, 2 * left, 2 * right + 1, whole);
    double other = sumOfLanes(a, b, 2 * left + 1, 2 * right, whole);
    for (int k = whole; k < product.k(); k++) {
      int x = 2 * (left + product.stepsA().at(k));
      int y = 2 * (right + product.stepsB().at(k));
      real = Math.fma(a[x], b[y], real);
      imaginary = Math.fma(a[x + 1], b[y + 1], imaginary);
      mixed = Math.fma(a[x], b[y + 1], mixed);
      other = Math.fma(a[x + 1], b[y], other);
    }
    store(result, at, real - imaginary, mixed + other);
  }

  /** {@return the sum of the first products of some parts, as partial sums that are halved} */
  private double sumOfLanes(double[] a, double[] b, int x, int y, int steps) {
    if (steps == 0) {
      return 0;
    }
    double[] sums = new double[lanes];
    for (int k = 0; k < steps; k++) {
      double factor = b[y + 2 * product.stepsB().at(k)];
      int lane = k % lanes;
      sums[lane] = Math.fma(a[x + 2 * product.stepsA().at(k)], factor, sums[lane]);
    }
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) {
        sums[i] += sums[half + i];
      }
    }
    return 0.0 + sums[0];
  }

  private static void store(Object result, int at, double re, double im) {
    if (result instanceof float[] floats) {
      floats[2 * at] = (float) re;
      floats[2 * at + 1] = (float) im;
    } else {
      double[] doubles = (double[]) result;
      doubles[2 * at] = re;
      doubles[2 * at + 1] = im;
    }
  }

  private void runProducts(Literal[] operands, Object result, KernelContext context) {
    int count = (int) shape.elementCount();
    List<double[]> a =
        List.of(parts(operands[0], 0, 2, context), parts(operands[0], 1, 2, context));
    List<double[]> b =
        List.of(parts(operands[1], 0, 2, context), parts(operands[1], 1, 2, context));
    List<double[]> c = Stream.generate(() -> borrow(count, context)).limit(4).toList();
    for (int i = 0; i < c.size(); i++) {
      algorithm.run(a.get(i / 2), b.get(i % 2), c.get(i), context, Epilogue.NONE);
    }
    new Parallel(context, count, Machine.COPY_GRAIN)
        .run((first, end) -> {
          for (int i = first; i < end; i++) {
            store(result, i, c.get(0)[i] - c.get(3)[i], c.get(1)[i] + c.get(2)[i]);
          }
        });
    a.forEach(each -> giveBack(each, operands[0].elementCount(), context));
    b.forEach(each -> giveBack(each, operands[1].elementCount(), context));
    c.forEach(each -> giveBack(each, count, context));
  }

  @Override
  public String describe() {
    return isByLoops
        ? "product " + shape.elementType() + " " + product + ", plain loops"
        : "parts of a product " + shape.elementType() + " by " + algorithm;
  }
}
