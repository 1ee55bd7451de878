package org.hlo4j.interpreter.compiled.indexing;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import java.util.Arrays;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelChoice;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A gather or scatter whose indices loops compute, as many at a time as the kernel reads. All other
 * operands are parameters of the fusion.
 */
public final class ComputedIndices implements Kernel {
  /** A kernel of a gather or scatter. */
  sealed interface IndexKernel extends Kernel permits GatherKernel, ScatterKernel {
    /** Returns whether the numbers of consecutive index vectors are consecutive. */
    boolean readsVectorsInOrder();

    /** Runs on the storage of the operands; that of the indices may be a reader of them. */
    Literal run(Object[] operands, KernelContext context);

    @Override
    default Literal run(Literal[] operands, KernelContext context) {
      return run(Arrays.stream(operands).map(Literal::unsafeStorage).toArray(), context);
    }
  }

  private final IndexKernel kernel;
  private final ComputedArray indices;

  /** The parameter that is each operand of the op; -1 for the indices. */
  private final ImmutableIntArray parameters;

  private ComputedIndices(IndexKernel kernel, ComputedArray indices, ImmutableIntArray parameters) {
    this.kernel = kernel;
    this.indices = indices;
    this.parameters = parameters;
  }

  /**
   * Returns the kernel of a fusion.
   *
   * @param computation the computation of the fusion
   * @param kernel the kernel of its root, a gather or scatter
   * @return the kernel; a decline if it does not read index vectors one after the other, or if
   *     loops cannot compute these
   */
  public static KernelChoice of(HloComputation computation, Kernel kernel) {
    HloInstruction root = computation.root();
    int place = root.operands().size() / 2;
    ImmutableIntArray.Builder parameters = ImmutableIntArray.builder();
    for (int i = 0; i < root.operands().size(); i++) {
      HloInstruction operand = root.operands().get(i);
      if (i == place) {
        parameters.add(-1);
      } else if (operand.op() instanceof Parameter parameter) {
        parameters.add(parameter.number());
      } else {
        return KernelChoice.decline("an operand that is computed: " + operand.name());
      }
    }
    return kernel instanceof IndexKernel index && index.readsVectorsInOrder()
        ? KernelChoice.of(
            ComputedArray.of(computation, root.operands().get(place))
                .map(indices -> new ComputedIndices(index, indices, parameters.build())),
            "indices that loops cannot compute in parts")
        : KernelChoice.decline("index vectors that are not read in order");
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    Object[] given = Arrays.stream(operands).map(Literal::unsafeStorage).toArray();
    Object[] arrays =
        parameters.stream()
            .mapToObj(number -> number < 0 ? indices.reader(given, context) : given[number])
            .toArray();
    return kernel.run(arrays, context);
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    int place = parameters.indexOf(operand);
    return place >= 0
        && parameters.lastIndexOf(operand) == place
        && kernel.canReuseOperandBuffer(place)
        && !indices.reads(operand);
  }

  @Override
  public String describe() {
    return kernel.describe() + ComputedArray.describe(ImmutableList.of(indices));
  }
}
