package org.hlo4j.interpreter.compiled.dots;

import java.util.Optional;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.Routine;
import org.hlo4j.interpreter.kernel.KernelContext;
import org.jspecify.annotations.Nullable;

/** A product that is run again and again on the same arrays: by tiles once they are ready. */
final class ShortProduct implements ArrayKernel {
  private static final double MOST_WORK = 100_000;

  private final Carrier carrier;
  private final Product product;
  private final DirectProduct direct;

  private ShortProduct(Carrier carrier, Product product, DirectProduct direct) {
    this.carrier = carrier;
    this.product = product;
    this.direct = direct;
  }

  static Optional<ArrayKernel> of(Carrier carrier, Product product) {
    @Nullable DirectProduct direct = DirectProduct.ofSmall(carrier, product);
    return direct == null || product.work() > MOST_WORK
        ? Optional.empty()
        : Optional.of(new ShortProduct(carrier, product, direct));
  }

  @Override
  public Routine on(Object[] operands, Object[] results, KernelContext context) {
    Matrices[] batches = new Matrices[product.batches()];
    for (int i = 0; i < batches.length; i++) {
      batches[i] =
          Matrices.of(product, operands[0], operands[1], results[0], Finish.NONE, i);
    }
    return new Batches(batches);
  }

  @Override
  public boolean isReady() {
    return direct.isReady();
  }

  private final class Batches implements Routine {
    private final Matrices[] batches;
    private final Arithmetic plain = Arithmetic.of(carrier);
    private boolean isReady;

    Batches(Matrices[] batches) {
      this.batches = batches;
    }

    @Override
    public void run() {
      isReady = isReady || direct.isReady();
      for (Matrices each : batches) {
        if (isReady) {
          direct.run(each);
        } else {
          plain.small(product, each);
        }
      }
    }
  }
}
