package org.hlo4j.interpreter.compiled.gemm;

import com.google.common.collect.ImmutableList;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * A split-K product: the contracting dimension is cut into parts, whose results are added in order.
 * As many parts as there is room for are the batches of one product, which threads share.
 *
 * @param text describes the product
 * @param algorithms compute all parts, one after another
 * @param partType the type of their results: that of the sum, or f32 for integers of 32 bits
 * @param size the number of sums of a part, which are stored one after another
 * @param stack the number of parts that an algorithm computes; the last one may compute fewer
 * @param parts the number of parts that are as long as the first one
 */
record SplitKGemm(
    String text,
    ImmutableList<GemmAlgorithm> algorithms,
    AccumulatorType partType,
    int size,
    int stack,
    int parts)
    implements GemmAlgorithm {
  static SplitKGemm of(GemmConfig config, GemmPlan plan) {
    int size = GemmProblem.resultElements(ImmutableList.of(config.product()));
    return new SplitKGemm(
        plan.describe(config),
        ImmutableList.of(GemmAlgorithm.of(config.parts(plan.parts()))),
        config.accumulatorType(),
        size,
        plan.parts(),
        plan.parts());
  }

  @Override
  public boolean isReady() {
    return GemmAlgorithm.areReady(algorithms);
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    SharedWorkspace.use(
        context,
        partType,
        stack * size,
        buffer -> {
          for (int i = 0; i < algorithms.size(); i++) {
            algorithms.get(i).run(a, b, buffer.array(), context, Epilogue.NONE);
            int count = Math.clamp(parts - i * stack, 1, stack);
            boolean isLast = i == algorithms.size() - 1;
            add(buffer.array(), count, c, i == 0, context, isLast ? epilogue : Epilogue.NONE);
          }
        });
  }

  /** Adds the sums of some parts to the result. */
  private void add(
      Object sums, int count, Object c, boolean isFirst, KernelContext context, Epilogue epilogue) {
    int columns = Math.max(1, rowLength());
    new Parallel(context, size / columns, Math.max(1, Machine.COPY_GRAIN / columns / count))
        .run((i0, i1) -> {
          for (int part = 0; part < count; part++) {
            boolean adds = !isFirst || part > 0;
            add(sums, part * size, c, adds, i0 * columns, i1 * columns);
          }
          epilogue.run(i0, i1, 0, columns);
        });
  }

  private void add(Object sums, int start, Object c, boolean adds, int from, int to) {
    if (c instanceof int[] ints && sums instanceof float[] floats) {
      for (int i = from; i < to; i++) {
        ints[i] = (int) floats[start + i] + (adds ? ints[i] : 0);
      }
      return;
    }
    DimensionOffsets all = DimensionOffsets.strided(size, 1);
    MatrixPart part = new MatrixPart(DimensionOffsets.strided(1, 0), 0, 1, all, from, to);
    MatrixCopies.of(partType).scatter(sums, start + from, 0, c, 0, part, adds);
  }

  @Override
  public boolean widensLeft() {
    return algorithms.stream().allMatch(GemmAlgorithm::widensLeft);
  }

  @Override
  public boolean widensRight() {
    return algorithms.stream().allMatch(GemmAlgorithm::widensRight);
  }

  @Override
  public int rowLength() {
    return algorithms.get(0).rowLength();
  }

  @Override
  public String toString() {
    return text;
  }
}
