package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.BroadcastPolicy.Placement;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * The policy with PaddlePaddle's rule: all operands but the first are broadcast to the shape of the
 * first, each mapped to adjacent dimensions of it.
 *
 * @param axis the first of these dimensions, or the default
 */
record Pdpd(int axis) implements Rule {
  static final int DEFAULT_AXIS = -1;

  @Override
  public Attempt attempt(ImmutableList<Operand> operands) {
    Operand target = operands.get(0);
    List<Dims> dimensions = new ArrayList<>();
    dimensions.add(Dims.range(0, target.rank()));
    for (Operand operand : operands.subList(1, operands.size())) {
      Optional<HloException> refusal = refusal(target, operand);
      if (refusal.isPresent()) {
        return Attempt.refused(refusal.orElseThrow());
      }
      dimensions.add(dimensions(operand, target.rank()));
    }
    return Attempt.placed(target.shape().sizes(), dimensions);
  }

  private Optional<HloException> refusal(Operand target, Operand operand) {
    if (operand.rank() > target.rank()) {
      return refused(
          "pdpd P1",
          target,
          operand,
          String.format(
              "rank of %s got %s, want at most %s", operand.name(), operand.rank(), target.rank()),
          Drawing.NOWHERE);
    }
    if (axis < DEFAULT_AXIS) {
      return refused(
          "pdpd P2",
          target,
          operand,
          String.format(
              "axis got %s, want a dimension of %s, or -1 for as far right as %s goes",
              axis, target.name(), operand.name()),
          Drawing.NOWHERE);
    }
    if ((long) axis + trimmed(operand) > target.rank()) {
      return refused(
          "pdpd P3",
          target,
          operand,
          String.format(
              "axis got %s, want at most %s, so that %s ends within the %s dimensions" + " of %s",
              axis, target.rank() - trimmed(operand), operand.name(), target.rank(), target.name()),
          target.rank());
    }
    return mismatch(target, operand);
  }

  private Optional<HloException> mismatch(Operand target, Operand operand) {
    Dims to = dimensions(operand, target.rank());
    for (int i = 0; i < operand.rank(); i++) {
      int place = to.getInt(i);
      if (operand.size(i) != 1 && operand.size(i) != target.size(place)) {
        String complaint =
            String.format(
                "dimension %s of %s has size %s, dimension %s of %s has size %s, want equal sizes,"
                    + " or 1 in %s to be stretched",
                i,
                operand.name(),
                operand.size(i),
                place,
                target.name(),
                target.size(place),
                operand.name());
        return refused("pdpd P4", target, operand, complaint, place);
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the first dimension that an operand is mapped to; the default counts all its
   * dimensions.
   */
  private int start(Operand operand, int targetRank) {
    return axis == DEFAULT_AXIS ? targetRank - operand.rank() : axis;
  }

  /** Returns the number of dimensions of an operand without trailing ones of size 1. */
  private static int trimmed(Operand operand) {
    int rank = operand.rank();
    while (rank > 0 && operand.size(rank - 1) == 1) {
      rank--;
    }
    return rank;
  }

  private Dims dimensions(Operand operand, int targetRank) {
    int start = start(operand, targetRank);
    long[] to = new long[operand.rank()];
    for (int i = 0; i < to.length; i++) {
      to[i] = start + i < targetRank ? start + i : Placement.DROPPED;
    }
    return Dims.of(to);
  }

  private Optional<HloException> refused(
      String label, Operand target, Operand operand, String complaint, int culprit) {
    String summary =
        String.format(
            "cannot broadcast %s onto %s by %s: %s",
            operand.name(), target.name(), this, complaint);
    int start = Math.max(0, start(operand, target.rank()));
    int columns = Math.max(target.rank(), Math.addExact(start, operand.rank()));
    boolean drawable = axis >= DEFAULT_AXIS && axis <= target.rank();
    Row below = new Row(operand, Dims.range(start, start + operand.rank()), "from axis " + start);
    return Optional.of(
        drawable
            ? Drawing.refusal(
                label,
                summary,
                Drawing.numbered(columns),
                List.of(new Row(target, Dims.range(0, target.rank()), ""), below),
                culprit)
            : new HloException(label, summary));
  }

  @Override
  public Optional<HloException> ambiguity(ImmutableList<Operand> operands) {
    return axis == DEFAULT_AXIS
        ? Ambiguity.find(operands, this::dimensions, this, "explicit")
        : Optional.empty();
  }

  @Override
  public String toString() {
    return axis == DEFAULT_AXIS ? "pdpd()" : "pdpd(" + axis + ")";
  }
}
