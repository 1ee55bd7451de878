package org.hlo4j.interpreter.compiled.dots;

import com.google.common.collect.ImmutableList;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.kernel.KernelContext;

/**
 * A product of narrow integers by that of floats: as long as no sum is beyond 2^24, f32 holds each
 * of them, and is multiplied and added several times as fast as integers are. So many steps are
 * summed in f32, then the sums are added as integers.
 */
final class ExactProduct implements Multiplication {
  private static final double EXACT = 0x1p24;
  private static final int AT_ONCE = 1 << 14;

  private final Product product;
  private final ImmutableList<Multiplication> parts;

  private ExactProduct(Product product, ImmutableList<Multiplication> parts) {
    this.product = product;
    this.parts = parts;
  }

  /** Makes what computes a product in f32. */
  interface Factory {
    Multiplication of(Product product);
  }

  /** Whether integers of these types are better multiplied in f32. */
  static boolean fits(Carrier carrier, ElementType lhs, ElementType rhs, Product product) {
    return carrier == Carrier.I32
        && lhs.bits() <= Byte.SIZE
        && rhs.bits() <= Byte.SIZE
        && product.work() > Gemm.SMALL
        && (product.steps() <= mostSteps(lhs, rhs) || product.isEven());
  }

  /** How many products have a sum that f32 holds in any case. */
  private static int mostSteps(ElementType lhs, ElementType rhs) {
    return (int) (EXACT / (greatest(lhs) * greatest(rhs)));
  }

  private static double greatest(ElementType type) {
    return Math.max(type.maxLong(), -type.minLong());
  }

  static ExactProduct of(ElementType lhs, ElementType rhs, Product product, Factory factory) {
    int most = mostSteps(lhs, rhs);
    if (product.steps() <= most) {
      return new ExactProduct(product, ImmutableList.of(factory.of(product)));
    }
    return new ExactProduct(
        product,
        IntStream.range(0, Math.ceilDiv(product.steps(), most))
            .mapToObj(i -> product.steps(i * most, Math.min(product.steps(), (i + 1) * most)))
            .map(factory::of)
            .collect(ImmutableList.toImmutableList()));
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Finish finish) {
    int rows = product.batches() * product.rows();
    Area area = Scratch.borrow(Carrier.F32, rows * columns());
    float[] sums = (float[]) area.array();
    for (int i = 0; i < parts.size(); i++) {
      parts.get(i).run(a, b, sums, context, Finish.NONE);
      boolean first = i == 0;
      add(sums, (int[]) c, first, context, i == parts.size() - 1 ? finish : Finish.NONE);
    }
    Scratch.giveBack(Carrier.F32, area);
  }

  @Override
  public boolean widensLeft() {
    return parts.stream().allMatch(Multiplication::widensLeft);
  }

  @Override
  public boolean widensRight() {
    return parts.stream().allMatch(Multiplication::widensRight);
  }

  private void add(float[] sums, int[] c, boolean first, KernelContext context, Finish finish) {
    int rows = product.batches() * product.rows();
    Cuts cuts = Cuts.of(rows, Math.max(1, AT_ONCE / Math.max(1, columns())));
    Chunks.run(
        context,
        false,
        cuts.count(),
        chunk -> {
          int i0 = cuts.start(chunk);
          int i1 = cuts.end(chunk);
          if (first) {
            store(sums, c, i0 * columns(), i1 * columns());
          } else {
            add(sums, c, i0 * columns(), i1 * columns());
          }
          finish.run(i0, i1, 0, columns());
        });
  }

  private static void store(float[] sums, int[] c, int from, int to) {
    for (int i = from; i < to; i++) {
      c[i] = (int) sums[i];
    }
  }

  private static void add(float[] sums, int[] c, int from, int to) {
    for (int i = from; i < to; i++) {
      c[i] += (int) sums[i];
    }
  }

  @Override
  public boolean hasRows() {
    return parts.get(0).hasRows();
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    return "integers by "
        + parts.get(0)
        + (parts.size() == 1 ? "" : ", " + parts.size() + " times");
  }
}
