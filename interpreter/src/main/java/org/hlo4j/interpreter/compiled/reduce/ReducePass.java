package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import java.util.stream.Stream;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;

/**
 * One pass over the positions that are reduced.
 *
 * @param reads what is computed before the strip
 * @param strip the loop that computes inputs of reductions, saved values and results, if any
 * @param accumulators the reductions
 * @param epilogue the loop that computes, for each result in progress, values that follow from the
 *     reductions so far
 * @param rowsAtOnce the number of rows that are reduced together: contiguous rows of as many
 *     results, or short rows of columns that are read as one; 1 if there are none
 */
record ReducePass(
    ImmutableList<ComputedRead> reads,
    Optional<Strip> strip,
    ImmutableList<Accumulators> accumulators,
    Optional<Strip> epilogue,
    int rowsAtOnce) {
  /**
   * A read of an array that is computed in parts.
   *
   * @param reader the slot of its reader
   * @param workspace the slot of the workspace of its elements
   */
  record ComputedRead(int reader, int workspace) {}

  ReducePass withRowsAtOnce(int rows) {
    return new ReducePass(reads, strip, accumulators, epilogue, rows);
  }

  /** Computes what the pass reads of some elements, beginning at the position of the frame. */
  void compute(ChunkFrame frame, int count) {
    for (ComputedRead read : reads) {
      int position = frame.innerRow * frame.inner + frame.column;
      ((ComputedArray.Reader) frame.arrays[read.reader])
          .read(position, count, frame.arrays[read.workspace], frame.workspace);
    }
  }

  /** {@return the loops} */
  Stream<ReduceLoop> loops() {
    return Stream.concat(
        Stream.concat(strip.stream(), epilogue.stream()).map(Strip::loop),
        accumulators.stream().flatMap(Accumulators::loops));
  }
}
