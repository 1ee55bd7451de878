package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.Streams;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The loops of a pass over blocks of rows. The last part of contiguous elements, or a whole row,
 * has a loop of its own for its number of elements.
 *
 * @param full the loop over parts of {@link ContiguousReduceCode#MAX_ELEMENTS}
 * @param last the loop over last parts
 * @param results the code that combines parts and stores results of rows, if there are parts
 */
record BlockPass(Optional<PassLoop> full, PassLoop last, Optional<ReduceLoop> results) {
  /**
   * A loop of a pass over rows, or over parts of a row.
   *
   * @param length the number of elements of each
   * @param end the end of the whole iterations over them
   */
  record PassLoop(ReduceLoop loop, int length, int end) {}

  /** {@return the loops of a pass} */
  static BlockPass of(BlockLayout layout, int pass) {
    BlockPlan plan = layout.plan;
    int most = ContiguousReduceCode.MAX_ELEMENTS;
    int rest = plan.contiguous - (plan.partsOfContiguous - 1) * most;
    BlockLoops last = new BlockLoops(layout, pass, rest);
    return new BlockPass(
        plan.partsOfContiguous > 1
            ? Optional.of(loop(new BlockLoops(layout, pass, most)))
            : Optional.empty(),
        loop(last),
        plan.isParted() ? Optional.of(last.results()) : Optional.empty());
  }

  private static PassLoop loop(BlockLoops loops) {
    int length = loops.length();
    int end =
        loops.layout().lanes == Lanes.ELEMENTS
            ? ContiguousReduceCode.end(loops.plan(), loops.pass(), length)
            : length;
    return new PassLoop(loops.loop(), length, end);
  }

  /** {@return all loops} */
  Stream<ReduceLoop> loops() {
    return Streams.concat(
        Stream.concat(full.stream(), Stream.of(last)).map(PassLoop::loop), results.stream());
  }
}
