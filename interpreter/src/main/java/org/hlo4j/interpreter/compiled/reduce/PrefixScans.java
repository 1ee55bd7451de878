package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
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
    int dimension = dimension(window, input.sizes());
    if (dimension < 0) {
      return KernelChoice.decline("a window that does not cover all before it in one dimension");
    }
    boolean isReverse = window.paddingLow().get(dimension) == 0;
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

  /** {@return the dimension of a window that is one of a scan, else -1} */
  private static int dimension(Window window, Dims sizes) {
    Window forwards = window.withReversal(new boolean[window.rank()]); // it does not matter
    return IntStream.range(0, sizes.count())
        .filter(dimension -> sizes.get(dimension) > 1)
        .filter(dimension -> ofScan(sizes, dimension).contains(forwards))
        .findFirst()
        .orElse(-1);
  }

  /** {@return the windows that cover all elements up to each position, or from it on} */
  private static List<Window> ofScan(Dims sizes, int dimension) {
    long size = sizes.get(dimension);
    Dims none = Dims.filled(sizes.count(), 0);
    Dims others = none.with(dimension, size - 1);
    Window window = Window.of(Dims.filled(sizes.count(), 1).with(dimension, size));
    return List.of(window.withPadding(others, none), window.withPadding(none, others));
  }
}
