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
   * @param fold the greatest or least is wanted, if it is more than a touch
   */
  record Read(int number, Optional<SingleOpReducer> fold) {}

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
    if (read.get().fold().isPresent()) {
      return new PrefetchingExtremum(writer, number, read.get().fold().get());
    }
    return writer.lanes().canCall() ? NONE : new SoftwarePrefetch(writer, number);
  }
}
