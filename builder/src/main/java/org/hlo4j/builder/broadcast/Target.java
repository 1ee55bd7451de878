package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;

/**
 * The policy that broadcasts one operand to given sizes.
 *
 * @param name its name in messages
 * @param targetShape the sizes
 * @param mode the rule
 * @param axesMapping the dimensions to which those of the operand are mapped, in mode explicit
 */
record Target(String name, Dims targetShape, BroadcastMode mode, Optional<Dims> axesMapping)
    implements BroadcastPolicy {
  static final String BROADCAST_1 = "broadcast1";
  static final String BROADCAST_3 = "broadcast3";

  @Override
  public Placement place(ImmutableList<Operand> operands) {
    Operand data = operands.get(0);
    requireTarget();
    requireMode();
    return switch (mode) {
      case NUMPY -> onto(data, fromTheRight(data));
      case EXPLICIT -> onto(data, axes(data));
      case BIDIRECTIONAL -> merged(data);
    };
  }

  private Operand target() {
    return Operand.of("target_shape", Shape.of(ElementType.F32, targetShape));
  }

  private static void require(boolean holds, String label, String complaint) {
    HloException.require(holds, "broadcast-to " + label, "%s", complaint);
  }

  private void requireTarget() {
    HloException.require(targetShape != null, "", "target_shape is null, want sizes");
    for (int i = 0; i < targetShape.count(); i++) {
      require(
          targetShape.get(i) >= 0,
          "T1",
          String.format(
              "target_shape[%s] got %s, want at least 0: no size is inferred",
              i, targetShape.get(i)));
    }
  }

  private void requireMode() {
    HloException.require(mode != null, "", "mode is null");
    require(
        mode != BroadcastMode.BIDIRECTIONAL || !name.equals(BROADCAST_1),
        "T2",
        "mode got bidirectional, want numpy or explicit: only Broadcast-3 is bidirectional");
    require(
        mode == BroadcastMode.EXPLICIT || axesMapping.isEmpty(),
        "T2",
        String.format(
            "axes_mapping got %s in mode %s, want none, or mode explicit",
            axesMapping.map(Dims::toString).orElse(""), mode));
    require(
        mode != BroadcastMode.EXPLICIT || axesMapping.isPresent(),
        "T2",
        "axes_mapping got none in mode explicit, want an entry for each dimension of the data");
  }

  private Dims fromTheRight(Operand data) {
    if (data.rank() > targetShape.count()) {
      String complaint =
          String.format(
              "rank of %s got %s, want at most %s as target_shape %s",
              data.name(), data.rank(), targetShape.count(), targetShape);
      List<Row> rows = FromTheRight.rows(List.of(target(), data), data.rank());
      throw refusal("T3", complaint, rows, Drawing.NOWHERE, data);
    }
    return FromTheRight.dimensions(data, targetShape.count());
  }

  private Dims axes(Operand data) {
    Dims axes = axesMapping.orElseThrow();
    if (data.rank() == 0 && axes.count() == 1) {
      return scalarAxis(data, axes.get(0));
    }
    require(
        axes.count() == data.rank(),
        "T5",
        String.format(
            "axes_mapping got %s, want %s entries, one for each dimension of %s",
            axes, data.rank(), data.name()));
    for (int i = 0; i < axes.count(); i++) {
      requireAxis(axes, i);
    }
    return axes;
  }

  private Dims scalarAxis(Operand data, long axis) {
    boolean isOne = axis >= 0 && axis < targetShape.count() && targetShape.get((int) axis) == 1;
    require(
        isOne,
        "T5",
        String.format(
            "axes_mapping got (%s) for %s, a scalar, want none, or a dimension where target_shape"
                + " %s has size 1",
            axis, data.name(), targetShape));
    return Dims.of();
  }

  private void requireAxis(Dims axes, int i) {
    require(
        axes.get(i) >= 0 && axes.get(i) < targetShape.count(),
        "T6",
        String.format(
            "axes_mapping[%s] got %s, want a dimension of target_shape %s",
            i, axes.get(i), targetShape));
    require(
        i == 0 || axes.get(i - 1) < axes.get(i),
        "T7",
        String.format(
            "axes_mapping got %s, want strictly increasing: %s comes after %s",
            axes, axes.get(i), i == 0 ? "" : axes.get(i - 1)));
  }

  private Placement onto(Operand data, Dims to) {
    for (int i = 0; i < data.rank(); i++) {
      int place = to.getInt(i);
      if (data.size(i) != 1 && data.size(i) != targetShape.get(place)) {
        String complaint =
            String.format(
                "dimension %s of %s has size %s, target_shape[%s] is %s, want equal sizes, or 1 in"
                    + " %s to be stretched",
                i, data.name(), data.size(i), place, targetShape.get(place), data.name());
        Row above = FromTheRight.rows(List.of(target()), targetShape.count()).get(0);
        String remark = mode == BroadcastMode.EXPLICIT ? "axes_mapping " + to : "from the right";
        throw refusal("T4", complaint, List.of(above, new Row(data, to, remark)), place, data);
      }
    }
    return new Placement(targetShape, ImmutableList.of(to));
  }

  private Placement merged(Operand data) {
    Attempt attempt =
        FromTheRight.attempt(ImmutableList.of(target(), data), this, "broadcast-to T4");
    if (attempt.refusal().isPresent()) {
      throw attempt.refusal().orElseThrow().with("fits", fits(data));
    }
    Placement both = attempt.placement().orElseThrow();
    return new Placement(both.sizes(), ImmutableList.of(both.dimensions().get(1)));
  }

  private HloException refusal(
      String label, String complaint, List<Row> rows, int culprit, Operand data) {
    int columns = Math.max(targetShape.count(), data.rank());
    String summary =
        String.format(
            "cannot broadcast %s to %s by %s: %s", data.name(), targetShape, this, complaint);
    return Drawing.refusal(
            "broadcast-to " + label, summary, Drawing.numbered(columns), rows, culprit)
        .with("fits", fits(data));
  }

  /** Returns a suggestion of another mode that would accept the operand. */
  private String fits(Operand data) {
    List<String> ways =
        Mappings.of(data, target(), Mappings.STRETCHING_SMALLER, 3).stream()
            .map(axes -> "mode explicit with axes_mapping " + axes)
            .limit(2)
            .toList();
    if (!ways.isEmpty()) {
      return "fits: " + String.join(" or ", ways);
    }
    boolean merges =
        FromTheRight.attempt(ImmutableList.of(target(), data), this, "").placement().isPresent();
    return merges ? "fits: mode bidirectional (broadcast3, expand)" : "no mode fits";
  }

  @Override
  public Optional<HloException> ambiguity(ImmutableList<Operand> operands) {
    return mode == BroadcastMode.EXPLICIT
        ? Optional.empty()
        : Ambiguity.find(
            ImmutableList.of(target(), operands.get(0)),
            FromTheRight::dimensions,
            this,
            "mode explicit with axes_mapping ");
  }

  @Override
  public String toString() {
    return name + " in mode " + mode;
  }
}
