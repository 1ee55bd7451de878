package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;

/** The policy without broadcasting: all operands have the same sizes. */
record None() implements Rule {
  @Override
  public Attempt attempt(ImmutableList<Operand> operands) {
    Operand first = operands.get(0);
    for (Operand other : operands) {
      if (!other.shape().sizes().equals(first.shape().sizes())) {
        return refused(first, other);
      }
    }
    Dims identity = Dims.range(0, first.rank());
    return Attempt.placed(
        first.shape().sizes(), operands.stream().map(operand -> identity).toList());
  }

  private Attempt refused(Operand first, Operand other) {
    String summary =
        String.format(
            "cannot broadcast %s onto %s by %s: %s got %s, want the sizes of %s, which has %s",
            other.name(),
            first.name(),
            this,
            other.name(),
            other.shape(),
            first.name(),
            first.shape());
    int columns = Math.max(first.rank(), other.rank());
    List<Row> rows = List.of(fromLeft(first), fromLeft(other));
    return Attempt.refused(
        Drawing.refusal(
            "none N1", summary, Drawing.numbered(columns), rows, culprit(first, other)));
  }

  private static Row fromLeft(Operand operand) {
    return new Row(operand, Dims.range(0, operand.rank()), "");
  }

  private static int culprit(Operand first, Operand other) {
    int i = 0;
    while (i < first.rank() && i < other.rank() && first.size(i) == other.size(i)) {
      i++;
    }
    return i;
  }

  @Override
  public String toString() {
    return "none()";
  }
}
