package org.hlo4j.interpreter.compiled.reduce;

import org.jspecify.annotations.Nullable;

/** The arrays of a run, of one chunk of it, and where in them it is. */
final class ChunkFrame {
  /** Operands, tables, outputs, then what only this chunk has. */
  final Object[] arrays;

  /** How many innermost positions there are. */
  final int inner;

  /** What {@link MergedRows} reads in place of arrays, by its number; null until it is made. */
  final @Nullable Object[][] copies;

  /** Which group of innermost positions. */
  int group;

  /** Which group of innermost positions comes later. */
  int prefetch;

  /** Whether the first pass over the row was done by the last one over the row before. */
  boolean isPrefetched;

  /** The row before which the chunk ends. */
  int end;

  /** Which of the innermost positions. */
  int column;

  /** Which result. */
  int kept;

  /** Which of the results under way. */
  int local;

  /** Where what is saved of this group lies. */
  int saved;

  /** Which element of the few rows. */
  int workspace;

  ChunkFrame(Object[] arrays, int inner, int passes) {
    this.arrays = arrays;
    this.copies = new @Nullable Object[passes][];
    this.inner = inner;
  }
}
