package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;

/** Code in a loop that reads the next row early, in addition to the work of the loop. */
interface Prefetch {
  /** Reads nothing. */
  Prefetch NONE =
      new Prefetch() {
        @Override
        public void iteration() {}

        @Override
        public void end() {}
      };

  /**
   * An array that is read early.
   *
   * @param number the index of the array; the next array receives the result of the reads
   * @param extremum the maximum or minimum to compute, if the array is not only prefetched
   */
  record Read(int number, Optional<SingleOpReducer> extremum) {}

  /** Writes the reads of an iteration. */
  void iteration();

  /** Writes the code after the loop. */
  void end();

  /** {@return the code that reads an array; {@link #NONE} if there is none} */
  static Prefetch of(ReduceLoopWriter writer, Optional<Read> read) {
    if (read.isEmpty()) {
      return NONE;
    }
    int number = read.get().number();
    if (read.get().extremum().isPresent()) {
      return new PrefetchingExtremum(writer, number, read.get().extremum().get());
    }
    return writer.emitter().canCall() ? NONE : new SoftwarePrefetch(writer, number);
  }
}
