package org.hlo4j.interpreter.compiled.reduce;

import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/** The state of a chunk: its arrays, and the current position in them. */
final class ChunkFrame {
  /** Operands, tables and outputs, then the workspaces of this chunk. */
  final Object[] arrays;

  /** The number of innermost positions in a row. */
  final int inner;

  /**
   * For each pass, the replicated arrays that {@link MergedRows} reads; null until they are made.
   */
  final @Nullable Object[][] copies;

  /** The pieces of the work on this chunk. */
  final Pieces pieces = new Pieces();

  /** The index of the current row of innermost positions. */
  int innerRow;

  /** The index within the row of innermost positions. */
  int column;

  /** The index of the result. */
  int resultIndex;

  /** The index among the results in progress. */
  int localIndex;

  /** The index at which the saved values of this row begin. */
  int saved;

  /** The index in a workspace of a few rows. */
  int workspace;

  ChunkFrame(Object[] arrays, int inner, int passes) {
    this.arrays = arrays;
    this.copies = new @Nullable Object[passes][];
    this.inner = inner;
  }
}
