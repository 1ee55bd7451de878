package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * An element-wise epilogue that the caller runs on parts of rows as they become ready. It works in
 * place: the result is stored in the array of the last parameter. Each element of that array is
 * read once, before the element of the result overwrites it.
 */
public final class RowEpilogueLoop {
  private final Object[] constants;
  private final CompiledLoopNest nest;
  private final long length;

  private RowEpilogueLoop(Inputs inputs, CompiledLoopNest nest, long length) {
    this.constants = inputs.storages();
    this.nest = nest;
    this.length = length;
  }

  /**
   * Returns the loop of a computation.
   *
   * @param computation a computation of instructions that {@link Loops#canFuse}, whose root has the
   *     sizes and the type of the last parameter
   * @param observesNanBits whether the bits of NaNs in the result are observable
   * @return the loop; empty if it needs more than one region, or reads the last parameter at other
   *     positions
   */
  public static Optional<RowEpilogueLoop> of(HloComputation computation, boolean observesNanBits) {
    boolean allFuse = computation.instructions().stream().allMatch(Loops::canFuse);
    if (!allFuse
        || !(computation.root().shape() instanceof Shape.Array shape)
        || shape.elementCount() > LiteralBuilder.MAX_COMPONENTS
        || shape.sizes().count() == 0
        || shape.sizes().get(shape.sizes().count() - 1) < 2) {
      return Optional.empty();
    }
    try {
      Inputs inputs = Inputs.of(computation);
      return OutputRegion.of(inputs, ImmutableList.of(computation.root()), observesNanBits)
          .filter(parts -> parts.size() == 1)
          .flatMap(parts -> of(inputs, parts.get(0), shape));
    } catch (NoCodeException noCode) {
      return Optional.empty();
    }
  }

  private static Optional<RowEpilogueLoop> of(Inputs inputs, OutputRegion part, Shape.Array shape) {
    CompiledLoopNest nest = CompiledLoopNest.ofRows(part, inputs.count());
    long length = shape.sizes().get(shape.sizes().count() - 1);
    return nest.hasInnerCount(length) && nest.canReuseOperandBuffer(part, inputs.operands() - 1)
        ? Optional.of(new RowEpilogueLoop(inputs, nest, length))
        : Optional.empty();
  }

  /** {@return whether the loop reads an operand} */
  public boolean reads(int operand) {
    return nest.reads(operand);
  }

  /** {@return the number of elements of a row} */
  public long length() {
    return length;
  }

  /**
   * {@return the arrays to pass to {@link #run}}
   *
   * @param operands the storage of all parameters but the last
   * @param result the storage of the last parameter, and of the result
   */
  public Object[] arrays(Object[] operands, Object result) {
    Object[] arrays = new Object[operands.length + constants.length + 2];
    System.arraycopy(operands, 0, arrays, 0, operands.length);
    arrays[operands.length] = result;
    System.arraycopy(constants, 0, arrays, operands.length + 1, constants.length);
    arrays[arrays.length - 1] = result;
    return arrays;
  }

  /**
   * Computes some elements of some rows.
   *
   * @param arrays the arrays from {@link #arrays}
   * @param context the context of the run
   * @param firstRow the first row
   * @param lastRow the end of the rows, exclusive
   * @param from the first element of each row
   * @param to the end of the elements, exclusive
   */
  public void run(
      Object[] arrays, KernelContext context, int firstRow, int lastRow, int from, int to) {
    nest.runPart(arrays, context, firstRow, lastRow, from, to);
  }

  @Override
  public String toString() {
    return "loop " + nest;
  }
}
