package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * An element-wise computation that somebody else runs on parts of rows, as they become ready. The
 * array of its result is that of its last parameter, too, of which each element is read once,
 * before the element of the result takes its place.
 */
public final class RowEpilogueLoop {
  private final Object[] constants;
  private final CompiledLoopNest piece;
  private final long length;

  private RowEpilogueLoop(Inputs inputs, CompiledLoopNest piece, long length) {
    this.constants = inputs.constants().stream().map(Literal::unsafeStorage).toArray();
    this.piece = piece;
    this.length = length;
  }

  /**
   * The loop of a computation.
   *
   * @param computation what {@link Loops#canFuse}, its root of the last parameter's sizes and type
   * @param observesNanBits whether somebody may tell one NaN of the result from another
   * @return the loop; empty if its code is not of one piece, or reads the last parameter elsewhere
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
    CompiledLoopNest piece =
        CompiledLoopNest.ofRows(part, inputs.operands() + inputs.constants().size());
    long length = shape.sizes().get(shape.sizes().count() - 1);
    return piece.isOfRows(length) && piece.canReuseOperandBuffer(part, inputs.operands() - 1)
        ? Optional.of(new RowEpilogueLoop(inputs, piece, length))
        : Optional.empty();
  }

  /** {@return how long a row is} */
  public long length() {
    return length;
  }

  /**
   * {@return what {@link #run} takes}
   *
   * @param operands the storage of all parameters but the last
   * @param result the storage of the last, and of the result
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
   * @param arrays from {@link #arrays}
   * @param context of the run
   * @param firstRow the first row
   * @param lastRow the row behind the last
   * @param from the first element of each
   * @param to the element behind the last
   */
  public void run(
      Object[] arrays, KernelContext context, int firstRow, int lastRow, int from, int to) {
    piece.runPart(arrays, context, firstRow, lastRow, from, to);
  }

  @Override
  public String toString() {
    return "loop " + piece;
  }
}
