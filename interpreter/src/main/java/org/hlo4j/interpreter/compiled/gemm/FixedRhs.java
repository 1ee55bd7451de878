package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Ints;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.hlo4j.interpreter.engine.KeptForms;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Limits;
import org.jspecify.annotations.Nullable;

/**
 * The right side of products that is the same in each run. The first run whose tiles are ready
 * packs it, whole, for all later ones.
 */
public final class FixedRhs implements KeptForms.Form {
  private static final double MAX_ELEMENTS = Integer.MAX_VALUE - 4096;

  /** At least the number of columns that are added to make whole vectors. */
  private static final int MAX_PADDING = 64;

  private final MicroKernelSet layout;
  private final GemmProblem product;
  private final ReentrantLock packing = new ReentrantLock();
  private volatile @Nullable AlignedBuffer packed;

  private FixedRhs(MicroKernelSet layout) {
    this.layout = layout;
    this.product = layout.product;
  }

  /** {@return whether the right side of a product can be kept} */
  static boolean fits(GemmProblem product) {
    return product.batches() == 1
        && (double) product.k() * (product.columns() + MAX_PADDING) < MAX_ELEMENTS;
  }

  /**
   * {@return the right side of a product, shared by all products that read the same elements of an
   * operand in the same order; null if there is no room for it} The key need not name the type that
   * the operand is stored in, since the forms are those of one operand.
   */
  static @Nullable FixedRhs of(KeptForms forms, MicroKernelSet layout) {
    GemmProblem product = layout.product;
    Object key =
        ImmutableList.of(
            layout.shape.accumulatorType(),
            layout.shape.lanes(),
            layout.shape.vectors(),
            product.batchesB().at(0),
            Ints.asList(product.stepsB().toTable()),
            Ints.asList(product.columnsB().toTable()));
    return forms.form(key, FixedRhs.class, () -> new FixedRhs(layout));
  }

  @Override
  public long bytes() {
    return (long) size() * layout.shape.accumulatorType().bits() / Byte.SIZE;
  }

  private int size() {
    return product.k() * layout.roundUpToVectors(product.columns());
  }

  /** {@return the packed right side} Packs it at the first call. All tiles have to be ready. */
  Panels panels(MicroKernelSet microKernels, GemmMatrices matrices, KernelContext context) {
    AlignedBuffer known = packed;
    if (known == null) {
      known = Limits.exclusively(packing, () -> packedFirst(microKernels, matrices, context));
    } else if (known.isMisaligned(microKernels)) {
      known = AlignedBuffer.kept(microKernels, size(), known);
      packed = known;
    }
    return view(microKernels, known);
  }

  private AlignedBuffer packedFirst(
      MicroKernelSet microKernels, GemmMatrices matrices, KernelContext context) {
    AlignedBuffer known = packed;
    if (known == null) {
      known = AlignedBuffer.kept(microKernels, size(), null);
      view(microKernels, known).pack(matrices, context, true);
      packed = known;
    }
    return known;
  }

  private Panels view(MicroKernelSet microKernels, AlignedBuffer buffer) {
    return Panels.of(microKernels, buffer, 0, product.columns(), 0, product.k());
  }

  /** {@return whether the right side is packed, so that {@link #panels} does not read it} */
  boolean isPacked() {
    return packed != null;
  }

  @Override
  public boolean isComplete(long elements) {
    return isPacked() && (long) product.k() * product.columns() == elements;
  }

  @Override
  public void restore(Object storage) {
    Panels panels = view(layout, Objects.requireNonNull(packed));
    for (int j = 0; j < product.columns(); j += layout.shape.width()) {
      MatrixPart panel =
          new MatrixPart(
              product.stepsB(), 0, product.k(), product.columnsB(), j, j + panels.columns(j));
      int from = panels.position(j, 0);
      int to = product.batchesB().at(0);
      layout.copies().scatter(panels.array(), from, panels.stride(j), storage, to, panel, false);
    }
  }
}
