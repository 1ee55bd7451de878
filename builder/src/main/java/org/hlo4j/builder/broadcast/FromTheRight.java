package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.List;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;

/** The merge of operands that are aligned from the right: at each position sizes are equal or 1. */
final class FromTheRight {
  private FromTheRight() {}

  /** Returns the last dimensions of the result, as many as the operand has. */
  static Dims dimensions(Operand operand, int resultRank) {
    return Dims.range(resultRank - operand.rank(), resultRank);
  }

  static Attempt attempt(ImmutableList<Operand> operands, BroadcastPolicy policy, String label) {
    int rank = operands.stream().mapToInt(Operand::rank).max().orElse(0);
    long[] sizes = new long[rank];
    for (int place = 0; place < rank; place++) {
      Operand leader = leader(operands, rank, place);
      sizes[place] = size(leader, rank, place);
      for (Operand other : operands) {
        long size = size(other, rank, place);
        if (size != sizes[place] && size != 1) {
          return refused(operands, leader, other, place, policy, label);
        }
      }
    }
    return Attempt.placed(
        Dims.of(sizes), operands.stream().map(operand -> dimensions(operand, rank)).toList());
  }

  /**
   * Returns the first operand with a size other than 1 at a position, or else the first that has
   * the position.
   */
  private static Operand leader(List<Operand> operands, int rank, int place) {
    return operands.stream()
        .filter(operand -> size(operand, rank, place) != 1)
        .findFirst()
        .orElse(operands.get(0));
  }

  /** Returns the size of an operand at a position of the result; 1 if it lacks the dimension. */
  private static long size(Operand operand, int rank, int place) {
    int own = place - (rank - operand.rank());
    return own < 0 ? 1 : operand.size(own);
  }

  private static Attempt refused(
      List<Operand> operands,
      Operand leader,
      Operand other,
      int place,
      BroadcastPolicy policy,
      String label) {
    int rank = operands.stream().mapToInt(Operand::rank).max().orElse(0);
    int ownOfLeader = place - (rank - leader.rank());
    int ownOfOther = place - (rank - other.rank());
    String summary =
        String.format(
            "cannot broadcast %s with %s by %s: dimension %s of %s has size %s, dimension %s of %s"
                + " has size %s, want equal sizes or 1",
            leader.name(),
            other.name(),
            policy,
            ownOfOther,
            other.name(),
            other.size(ownOfOther),
            ownOfLeader,
            leader.name(),
            leader.size(ownOfLeader));
    return Attempt.refused(
        Drawing.refusal(label, summary, Drawing.numbered(rank), rows(operands, rank), place));
  }

  static List<Row> rows(List<Operand> operands, int rank) {
    return operands.stream()
        .map(operand ->
            new Row(
                operand, dimensions(operand, rank), operand.rank() < rank ? "from the right" : ""))
        .toList();
  }
}
