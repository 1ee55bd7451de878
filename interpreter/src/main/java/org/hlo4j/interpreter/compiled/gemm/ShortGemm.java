package org.hlo4j.interpreter.compiled.gemm;

import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A small product that runs repeatedly on the same arrays, by tiles once they are ready. If one
 * side is loop-invariant, it may be packed for the tiles, once.
 */
final class ShortGemm implements ArrayKernel {
  private static final double MAX_WORK = 100_000;

  /**
   * The maximum size of an operand. A larger one does not stay in the L1 cache, and reading it
   * takes most of the time.
   */
  private static final double MAX_BYTES = 50_000;

  private final AccumulatorType accumulatorType;
  private final GemmProblem product;
  private final UnpackedGemm unpacked;
  private final boolean isSwapped;
  private final @Nullable GemmProblem packed;

  private ShortGemm(
      AccumulatorType accumulatorType,
      GemmProblem product,
      UnpackedGemm unpacked,
      boolean isSwapped,
      @Nullable GemmProblem packed) {
    this.accumulatorType = accumulatorType;
    this.product = product;
    this.unpacked = unpacked;
    this.isSwapped = isSwapped;
    this.packed = packed;
  }

  /**
   * Returns the kernel of a product that tiles can compute; otherwise empty.
   *
   * @param isLeftFixed whether the left side is the same in each run
   * @param isRightFixed whether the right side is the same in each run
   */
  static Optional<ArrayKernel> of(
      AccumulatorType accumulatorType,
      GemmProblem product,
      boolean isLeftFixed,
      boolean isRightFixed) {
    if (isTooLarge(accumulatorType, product)) {
      return Optional.empty();
    }
    GemmProblem swapped = product.transposed();
    return Stream.of(
            ofSides(accumulatorType, product, false, false),
            ofSides(accumulatorType, swapped, true, false),
            isRightFixed ? ofSides(accumulatorType, product, false, true) : null,
            isLeftFixed ? ofSides(accumulatorType, swapped, true, true) : null)
        .filter(Objects::nonNull)
        .map(ArrayKernel.class::cast)
        .findFirst();
  }

  /** {@return whether a product is left to other kernels, which add in another order} */
  static boolean isTooLarge(AccumulatorType accumulatorType, GemmProblem product) {
    double side = (double) Math.max(product.rows(), product.columns()) * product.k();
    return product.work() > MAX_WORK || side * accumulatorType.bits() / Byte.SIZE > MAX_BYTES;
  }

  private static @Nullable ShortGemm ofSides(
      AccumulatorType accumulatorType, GemmProblem product, boolean isSwapped, boolean isPacked) {
    GemmProblem read = isPacked ? packed(product) : product;
    @Nullable UnpackedGemm unpacked = UnpackedGemm.ofSmall(accumulatorType, read);
    return unpacked == null
        ? null
        : new ShortGemm(accumulatorType, read, unpacked, isSwapped, isPacked ? product : null);
  }

  /** {@return the product with its right side packed row by row} */
  private static GemmProblem packed(GemmProblem product) {
    int columns = product.columns();
    return new GemmProblem(
        product.batchesA(),
        product.rowsA(),
        product.stepsA(),
        DimensionOffsets.strided(product.batches(), product.k() * columns),
        DimensionOffsets.strided(product.k(), columns),
        DimensionOffsets.strided(columns, 1),
        product.batchesC(),
        product.rowsC(),
        product.columnsC());
  }

  @Override
  public BoundKernel bind(Object[] operands, Object[] results, KernelContext context) {
    Object left = operands[isSwapped ? 1 : 0];
    Object right = operands[isSwapped ? 0 : 1];
    Object b = packed == null ? right : pack(packed, right);
    GemmMatrices[] batches = new GemmMatrices[product.batches()];
    for (int i = 0; i < batches.length; i++) {
      batches[i] = GemmMatrices.of(product, left, b, results[0], Epilogue.NONE, i);
    }
    return new Batches(batches);
  }

  private Object pack(GemmProblem from, Object right) {
    MatrixCopies copies = MatrixCopies.of(accumulatorType);
    int size = from.k() * from.columns();
    Object to = copies.allocate(from.batches() * size);
    MatrixPart all = new MatrixPart(from.stepsB(), 0, from.k(), from.columnsB(), 0, from.columns());
    for (int i = 0; i < from.batches(); i++) {
      copies.gather(right, from.batchesB().at(i), all, to, i * size, from.columns());
    }
    return to;
  }

  @Override
  public boolean isReady() {
    return unpacked.isReady(MicroKernels.ENOUGH);
  }

  @Override
  public void prepare() {
    isReady();
    MicroKernels.await();
  }

  private final class Batches implements BoundKernel {
    private final GemmMatrices[] batches;
    private final GemmArithmetic plain = GemmArithmetic.of(accumulatorType);
    private boolean isReady;

    Batches(GemmMatrices[] batches) {
      this.batches = batches;
    }

    @Override
    public void run() {
      isReady = isReady || unpacked.isReady(product.work());
      for (GemmMatrices each : batches) {
        if (isReady) {
          unpacked.run(each);
        } else {
          plain.smallGemm(product, each);
        }
      }
    }
  }
}
