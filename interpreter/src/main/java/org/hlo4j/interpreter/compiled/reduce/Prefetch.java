package org.hlo4j.interpreter.compiled.reduce;

import java.util.Optional;

/** What a loop reads of the row to come, beside what it does. */
interface Prefetch {
  /** Nothing. */
  Prefetch NONE =
      new Prefetch() {
        @Override
        public void iteration() {}

        @Override
        public void end() {}
      };

  /**
   * Which array.
   *
   * @param number its number; the next one takes what comes of it
   * @param extremum the maximum or minimum that is wanted, if it is more than a prefetch
   */
  record Read(int number, Optional<SingleOpReducer> extremum) {}

  /** Writes what an iteration reads. */
  void iteration();

  /** Writes what follows the loop. */
  void end();

  /** Reads an array, if there is one. */
  static Prefetch of(ReduceLoopWriter writer, Optional<Read> read) {
    if (read.isEmpty()) {
      return NONE;
    }
    int number = read.get().number();
    if (read.get().extremum().isPresent()) {
      return new PrefetchingExtremum(writer, number, read.get().extremum().get());
    }
    return writer.lanes().canCall() ? NONE : new SoftwarePrefetch(writer, number);
  }
}
