package org.hlo4j.interpreter.compiled.reduce;

import com.google.common.primitives.ImmutableIntArray;
import java.util.Optional;

/**
 * Where a loop finds an array.
 *
 * @param slot the array, by its number in a {@link ChunkFrame}
 * @param role how its positions go with those of the reduction
 * @param offset of a {@link Role#READ}, where position 0 lies
 * @param groups of a {@link Role#READ}, where each group of innermost positions begins
 * @param stride of a {@link Role#READ}, how far innermost positions are apart; 0 or 1
 */
record ArrayLocation(int slot, Role role, int offset, DimensionWalk groups, int stride) {
  /** How positions of an array go with those of the reduction. */
  enum Role {
    /** An array that is given, seen through a view. */
    READ,
    /** The same, of positions that come later. */
    PREFETCH,
    /** An element for each position that is reduced. */
    FULL,
    /** An element for each result. */
    KEPT,
    /** An element for each result under way. */
    LOCAL,
    /** An element for each position that is reduced into the results under way. */
    SAVED,
    /** A few rows. */
    WORKSPACE
  }

  /** A place that is no view. */
  static ArrayLocation of(int slot, Role role) {
    DimensionWalk nothing = new DimensionWalk(ImmutableIntArray.of(), ImmutableIntArray.of());
    return new ArrayLocation(slot, role, 0, nothing, 1);
  }

  /**
   * A view of a given array, of which so many innermost positions belong together; empty if these
   * are apart.
   */
  static Optional<ArrayLocation> of(int slot, MixedRadixView view, int inner) {
    return view.strideWithin(inner)
        .filter(stride -> stride == 0 || stride == 1)
        .map(stride ->
            new ArrayLocation(slot, Role.READ, view.offset(), view.groups(inner), stride));
  }

  /** The same of positions that come later, of a {@link Role#READ}. */
  ArrayLocation prefetch() {
    return new ArrayLocation(slot, Role.PREFETCH, offset, groups, stride);
  }

  /** Whether its positions are those of another place, by what is known before there are any. */
  boolean isAlong(ArrayLocation other, int inner) {
    return (isFull(inner) && other.isFull(inner))
        || equals(new ArrayLocation(slot, other.role, other.offset, other.groups, other.stride));
  }

  /** Whether positions of several groups of innermost ones run on, or are all the same. */
  boolean runsOn(int inner) {
    return switch (role) {
      case FULL, WORKSPACE -> true;
      case READ ->
          isFull(inner) || (stride == 0 && groups.strides().stream().allMatch(step -> step == 0));
      case PREFETCH, KEPT, LOCAL, SAVED -> false;
    };
  }

  /** Whether each group of innermost positions is the same row of an array that is given. */
  boolean isSameForAllRows() {
    return role == Role.READ
        && stride == 1
        && groups.strides().stream().allMatch(step -> step == 0);
  }

  private boolean isFull(int inner) {
    boolean isDense =
        groups.sizes().isEmpty()
            || (groups.sizes().length() == 1 && groups.strides().get(0) == inner);
    return role == Role.FULL || (role == Role.READ && offset == 0 && stride == 1 && isDense);
  }

  /** The position in the array. */
  int at(ChunkFrame frame) {
    return switch (role) {
      case READ -> offset + groups.at(frame.group) + stride * frame.column;
      case PREFETCH -> offset + groups.at(frame.prefetch) + stride * frame.column;
      case FULL -> frame.group * frame.inner + frame.column;
      case KEPT -> frame.kept;
      case LOCAL -> frame.local;
      case SAVED -> frame.saved + frame.column;
      case WORKSPACE -> frame.workspace;
    };
  }
}
