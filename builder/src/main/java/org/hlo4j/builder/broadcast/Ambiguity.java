package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.builder.broadcast.Drawing.Row;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;

/**
 * A search for ambiguous alignments: an operand of lower rank whose dimensions, except those of
 * size 1, match other dimensions of the operand of highest rank besides the guessed ones.
 */
final class Ambiguity {
  private static final int MAX_OTHERS = 64;

  /** The dimensions of a result of some rank to which a policy maps those of an operand. */
  @FunctionalInterface
  interface Guess {
    Dims dimensions(Operand operand, int rank);
  }

  private Ambiguity() {}

  /**
   * Finds an ambiguous alignment. The last argument is the explicit notation for the user: {@code
   * explicit} and the dimensions.
   */
  static Optional<HloException> find(
      ImmutableList<Operand> operands, Guess guess, BroadcastPolicy policy, String explicit) {
    Operand highest = operands.stream().max(Comparator.comparingInt(Operand::rank)).orElseThrow();
    return operands.stream()
        .flatMap(operand -> find(operand, highest, guess, policy, explicit).stream())
        .findFirst();
  }

  private static Optional<HloException> find(
      Operand operand, Operand highest, Guess guess, BroadcastPolicy policy, String explicit) {
    Dims chosen = guess.dimensions(operand, highest.rank());
    Mappings.Match match =
        stretchesOther(operand, highest, chosen)
            ? Mappings.EITHER_ONE
            : Mappings.STRETCHING_SMALLER;
    return Mappings.of(operand, highest, match, MAX_OTHERS).stream()
        .filter(other -> !effect(operand, other).equals(effect(operand, chosen)))
        .findFirst()
        .map(other -> finding(operand, highest, chosen, other, policy, explicit));
  }

  /** Returns whether the guess stretches a dimension of the operand of highest rank. */
  private static boolean stretchesOther(Operand operand, Operand highest, Dims chosen) {
    return beyondOne(operand).stream()
        .anyMatch(i -> highest.size(chosen.getInt((int) i)) != operand.size((int) i));
  }

  /**
   * Returns the mapping of the dimensions other than size 1; the mapping of those of size 1 has no
   * effect.
   */
  private static Dims effect(Operand operand, Dims to) {
    return to.at(beyondOne(operand));
  }

  private static Dims beyondOne(Operand operand) {
    return Dims.of(
        IntStream.range(0, operand.rank())
            .filter(i -> operand.size(i) != 1)
            .mapToLong(i -> i)
            .toArray());
  }

  private static HloException finding(
      Operand operand,
      Operand highest,
      Dims chosen,
      Dims other,
      BroadcastPolicy policy,
      String explicit) {
    String summary =
        String.format(
            "ambiguous broadcast of %s onto %s: %s lays it on dimensions %s, but %s would fit as"
                + " well",
            operand.name(), highest.name(), policy, chosen, other);
    return new HloException("ambiguous", summary)
        .with("alignment", drawing(operand, highest, chosen, "chosen by " + policy))
        .with("alignment", drawing(operand, highest, other, explicit + other))
        .with("fits", "say which: " + explicit + chosen + " or " + explicit + other);
  }

  private static String drawing(Operand operand, Operand highest, Dims to, String remark) {
    return Drawing.of(
        Drawing.numbered(highest.rank()),
        List.of(new Row(highest, Dims.range(0, highest.rank()), ""), new Row(operand, to, remark)),
        Drawing.NOWHERE);
  }
}
