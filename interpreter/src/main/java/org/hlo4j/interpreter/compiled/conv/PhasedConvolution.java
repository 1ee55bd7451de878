package org.hlo4j.interpreter.compiled.conv;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.gemm.Epilogue;
import org.hlo4j.interpreter.compiled.gemm.GemmAlgorithm;
import org.hlo4j.interpreter.compiled.gemm.GemmConfig;
import org.hlo4j.interpreter.compiled.gemm.GemmProblem;
import org.hlo4j.interpreter.compiled.gemm.MatrixCopies;
import org.hlo4j.interpreter.engine.KernelContext;
import org.hlo4j.interpreter.engine.Parallel;

/**
 * The phases of a convolution, computed one after another. Each phase stores its own positions of
 * the result. Positions that meet no tap are zeros.
 */
final class PhasedConvolution implements GemmAlgorithm {
  private final MatrixCopies copies;
  private final ImmutableList<GemmAlgorithm> phases;
  private final int size;
  private final int columns;
  private final boolean hasContiguousRows;
  private final int count;

  /** {@return the algorithm for some products, which together fill the result} */
  static GemmAlgorithm of(List<GemmConfig> products) {
    return products.size() == 1 && products.get(0).product().work() > 0
        ? GemmAlgorithm.of(products.get(0))
        : new PhasedConvolution(products);
  }

  private PhasedConvolution(List<GemmConfig> configs) {
    List<GemmProblem> products = configs.stream().map(GemmConfig::product).toList();
    int first = products.get(0).columns();
    this.copies = MatrixCopies.of(configs.get(0).accumulatorType());
    this.phases =
        configs.stream()
            .filter(config -> config.product().work() > 0)
            .map(GemmAlgorithm::of)
            .collect(ImmutableList.toImmutableList());
    this.size = GemmProblem.resultElements(products);
    this.hasContiguousRows =
        products.stream()
            .allMatch(product -> product.columns() == first && product.columnsC().isContiguous());
    this.columns = hasContiguousRows ? first : 1;
    this.count = products.size();
  }

  @Override
  public void warmUp() {
    phases.forEach(GemmAlgorithm::warmUp);
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue epilogue) {
    if (size == 0) {
      return;
    }
    int rows = size / columns;
    int grain = Math.max(1, Machine.COPY_GRAIN / columns);
    if (phases.size() < count) {
      Parallel.forRange(
          context, rows, grain, (i0, i1) -> copies.clear(c, i0 * columns, i1 * columns));
    }
    for (GemmAlgorithm phase : phases) {
      phase.run(a, b, c, context, Epilogue.NONE);
    }
    if (epilogue != Epilogue.NONE) {
      Parallel.forRange(context, rows, grain, (i0, i1) -> epilogue.run(i0, i1, 0, columns));
    }
  }

  @Override
  public boolean hasContiguousRows() {
    return hasContiguousRows;
  }

  @Override
  public int columns() {
    return columns;
  }

  @Override
  public String toString() {
    return phases.isEmpty()
        ? "zeros"
        : phases.size()
            + (phases.size() < count ? " of " + count : "")
            + " phases, the first "
            + phases.get(0);
  }
}
