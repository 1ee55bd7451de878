package org.hlo4j.interpreter.compiled.moves;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.kernel.Kernel;
import org.hlo4j.interpreter.kernel.KernelContext;

/** {@code result[i] = pred[i] ? onTrue[i] : onFalse[i]} of complex numbers, or one pred for all. */
final class ComplexSelect implements Kernel {
  private static final int CHUNK = 1 << 14;

  private final Shape.Array shape;
  private final boolean isOneForAll;
  private final BoxCopy whole;

  ComplexSelect(Shape.Array pred, Shape.Array shape) {
    this.shape = shape;
    this.isOneForAll = pred.isScalar();
    this.whole = BoxCopy.whole(shape);
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    byte[] preds = (byte[]) operands[0].unsafeStorage();
    Object onTrue = operands[1].unsafeStorage();
    Object onFalse = operands[2].unsafeStorage();
    Object to = context.allocate(shape);
    if (isOneForAll) {
      whole.run(preds[0] != 0 ? onTrue : onFalse, 0, to, 0, context.workers());
      return Literal.unsafeOf(shape, to);
    }
    int count = (int) shape.elementCount();
    context
        .workers()
        .run(
            Math.ceilDiv(count, CHUNK),
            chunk -> {
              int end = Math.min(count, (chunk + 1) * CHUNK);
              if (to instanceof float[] floats) {
                select(preds, (float[]) onTrue, (float[]) onFalse, floats, chunk * CHUNK, end);
              } else {
                double[] doubles = (double[]) to;
                select(preds, (double[]) onTrue, (double[]) onFalse, doubles, chunk * CHUNK, end);
              }
            });
    return Literal.unsafeOf(shape, to);
  }

  private static void select(
      byte[] preds, float[] onTrue, float[] onFalse, float[] to, int first, int end) {
    for (int i = first; i < end; i++) {
      float[] from = preds[i] != 0 ? onTrue : onFalse;
      to[2 * i] = from[2 * i];
      to[2 * i + 1] = from[2 * i + 1];
    }
  }

  private static void select(
      byte[] preds, double[] onTrue, double[] onFalse, double[] to, int first, int end) {
    for (int i = first; i < end; i++) {
      double[] from = preds[i] != 0 ? onTrue : onFalse;
      to[2 * i] = from[2 * i];
      to[2 * i + 1] = from[2 * i + 1];
    }
  }

  @Override
  public String describe() {
    return "select of " + shape;
  }
}
