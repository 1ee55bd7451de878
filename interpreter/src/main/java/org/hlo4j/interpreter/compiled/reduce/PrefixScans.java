package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Window;
import org.hlo4j.interpreter.compiled.expr.Reducer;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * A matcher of reduce-windows that are prefix scans: the window covers all elements up to each
 * position, or all from it on.
 */
final class PrefixScans {
  private PrefixScans() {}

  /** {@return the kernel of a reduce-window that is a scan} */
  static KernelChoice kernel(HloInstruction instruction) {
    if (instruction.operands().size() != 2
        || !(instruction.shape() instanceof Shape.Array shape)
        || shape.elementType().isComplex()) {
      return KernelChoice.decline("not one array of real numbers");
    }
    Window window = ((ReduceWindow) instruction.op()).window();
    Shape.Array input = (Shape.Array) instruction.operands().get(0).shape();
    int dimension = dimension(window, input);
    if (dimension < 0) {
      return KernelChoice.decline("a window that does not cover all before it in one dimension");
    }
    boolean isReverse = window.paddingLow().get(dimension) == 0 && input.size(dimension) > 1;
    Optional<Reducer> known = Reducer.of(instruction.called().get(0));
    if (known.isEmpty()) {
      return KernelChoice.decline(Reducer.noCode(instruction.called().get(0)));
    }
    Reducer body = known.get();
    if (isReverse && !body.isUnordered()) {
      return KernelChoice.decline("a computation whose order matters");
    }
    int outer = (int) input.sizes().subList(0, dimension).product();
    int inner = (int) input.sizes().subList(dimension + 1, input.rank()).product();
    return KernelChoice.of(
        new ScanKernel(
            shape.withLayout(null),
            outer,
            input.sizes().getInt(dimension),
            inner,
            body,
            isReverse,
            inner == 1
                ? ReduceLoops.inOrder(body, true, isReverse)
                : ReduceLoops.rows(body, 1, true)));
  }

  /**
   * {@return the only dimension in which the window is as long as the array; -1 if there is none}
   */
  private static int dimension(Window window, Shape.Array input) {
    int[] moving =
        IntStream.range(0, input.rank())
            .filter(i -> window.sizes().get(i) != 1 || window.strides().get(i) != 1)
            .toArray();
    boolean plain =
        IntStream.range(0, input.rank())
            .allMatch(i ->
                window.strides().get(i) == 1
                    && window.baseDilation().get(i) == 1
                    && window.windowDilation().get(i) == 1
                    && (window.sizes().get(i) != 1
                        || (window.paddingLow().get(i) == 0 && window.paddingHigh().get(i) == 0)));
    if (moving.length != 1 || !plain) {
      return -1;
    }
    int dimension = moving[0];
    long reach = window.sizes().get(dimension) - 1;
    long low = window.paddingLow().get(dimension);
    long high = window.paddingHigh().get(dimension);
    boolean coversAll =
        reach + 1 == input.size(dimension)
            && ((low == reach && high == 0) || (low == 0 && high == reach));
    return coversAll ? dimension : -1;
  }
}
