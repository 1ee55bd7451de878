package org.hlo4j.interpreter.compiled.reduce;

import java.util.HashMap;
import java.util.Map;
import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/** The state of a chunk: its arrays, and the current position in them. */
final class ChunkFrame {
  /** Operands, tables and outputs, then the workspaces of this chunk. */
  final Object[] arrays;

  /** The number of innermost positions in a row. */
  final int inner;

  /** The number of elements of a strip. */
  final int strip;

  /** The replicated arrays of strips that process several rows as one. */
  final Map<Strip, @Nullable Object[]> copies = new HashMap<>();

  /** The pieces of the work on this chunk. */
  final Pieces pieces = new Pieces();

  /** The index of the current row of innermost positions. */
  int innerRow;

  /** The index within the row of innermost positions. */
  int column;

  /** The index of the result. */
  int resultIndex;

  /** The index in a workspace of a few rows. */
  int workspace;

  ChunkFrame(Object[] arrays, int inner, int strip) {
    this.arrays = arrays;
    this.inner = inner;
    this.strip = strip;
  }
}
