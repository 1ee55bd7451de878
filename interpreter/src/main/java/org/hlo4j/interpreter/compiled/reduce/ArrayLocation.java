package org.hlo4j.interpreter.compiled.reduce;

import java.util.List;
import java.util.Optional;
import org.hlo4j.interpreter.compiled.index.Offsets;

/**
 * The location of an array in a loop: which array it is, and how its index follows from the state
 * of a {@link ChunkFrame}.
 *
 * @param slot the index of the array in a {@link ChunkFrame}
 * @param role how its index follows from the position in the reduction
 * @param offset for a {@link Role#READ}, the index of position 0
 * @param rowStarts for a {@link Role#READ}, where each row of innermost positions begins
 * @param stride for a {@link Role#READ}, the stride of the innermost positions; 0 or 1
 */
record ArrayLocation(int slot, Role role, int offset, Offsets rowStarts, int stride) {
  /** The relation of the index in an array to the position in the reduction. */
  enum Role {
    /** An operand or a table, seen through a view. */
    READ,
    /** An array with an element for each result. */
    RESULT,
    /** A workspace with an element for each result in progress. */
    LOCAL,
    /** A workspace of a few rows. */
    WORKSPACE
  }

  /** {@return a location that is not a view} */
  static ArrayLocation of(int slot, Role role) {
    Offsets nothing = Offsets.of(List.of(), List.of());
    return new ArrayLocation(slot, role, 0, nothing, 1);
  }

  /**
   * {@return the location of a view of an operand or table with {@code inner} innermost positions
   * in a row; empty unless their stride is a constant 0 or 1}
   */
  static Optional<ArrayLocation> of(int slot, Offsets offsets, int base, int inner) {
    return offsets
        .strideWithin(inner)
        .filter(stride -> stride == 0 || stride == 1)
        .map(stride -> new ArrayLocation(slot, Role.READ, base, offsets.each(inner), stride));
  }

  /**
   * {@return whether this and another location are known to have the same index in every iteration}
   */
  boolean hasSameIndex(ArrayLocation other, int inner) {
    return (isFull(inner) && other.isFull(inner))
        || equals(new ArrayLocation(slot, other.role, other.offset, other.rowStarts, other.stride));
  }

  /**
   * {@return whether consecutive rows of innermost positions are contiguous, or are all the same
   * element}
   */
  boolean isContiguousAcrossRows(int inner) {
    return switch (role) {
      case WORKSPACE -> true;
      case READ -> isFull(inner) || (stride == 0 && rowStarts.isZero());
      case RESULT, LOCAL -> false;
    };
  }

  /**
   * {@return whether every row of innermost positions reads the same contiguous row of an operand
   * or table}
   */
  boolean isSameForAllRows() {
    return role == Role.READ && stride == 1 && rowStarts.isZero();
  }

  private boolean isFull(int inner) {
    return role == Role.READ && offset == 0 && stride == 1 && rowStarts.hasStride(inner);
  }

  /** {@return the index in the array for the state of a frame} */
  int at(ChunkFrame frame) {
    return switch (role) {
      case READ -> offset + rowStarts.at(frame.innerRow) + stride * frame.column;
      case RESULT -> frame.resultIndex;
      case LOCAL -> 0;
      case WORKSPACE -> frame.workspace;
    };
  }
}
