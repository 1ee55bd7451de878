package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.interpreter.compiled.loops.ComputedArray;

/**
 * One pass over the positions that are reduced.
 *
 * @param reads what is computed before the strip
 * @param strip the loop that computes inputs of reductions, saved values and results, if any
 * @param steps the reductions
 * @param epilogue the loop that computes, for each result in progress, values that follow from the
 *     reductions so far
 */
record ReducePass(
    ImmutableList<ComputedRead> reads,
    Optional<Strip> strip,
    ImmutableList<ReduceStep> steps,
    Optional<Strip> epilogue) {
  /**
   * A read of an array that is computed in parts.
   *
   * @param reader the slot of its reader
   * @param workspace the slot of the workspace of its elements
   */
  record ComputedRead(int reader, int workspace) {}

  /** Computes what the pass reads of some elements, beginning at the position of the frame. */
  void compute(ChunkFrame frame, int count) {
    for (ComputedRead read : reads) {
      int position = frame.innerRow * frame.inner + frame.column;
      ((ComputedArray.Reader) frame.arrays[read.reader])
          .read(position, count, frame.arrays[read.workspace], frame.workspace);
    }
  }
}
