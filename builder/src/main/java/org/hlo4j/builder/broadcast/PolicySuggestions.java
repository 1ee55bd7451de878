package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.hlo4j.builder.BroadcastPolicy.Operand;
import org.hlo4j.hlo.Dims;

/** A search for the policies that would accept operands that one policy has refused. */
final class PolicySuggestions {
  private static final int MOST = 3;

  private PolicySuggestions() {}

  static String text(ImmutableList<Operand> operands) {
    List<Rule> fitting = new ArrayList<>();
    if (fits(new Numpy(), operands)) {
      fitting.add(new Numpy());
    }
    explicit(operands).forEach(dimensions -> fitting.add(new Explicit(dimensions)));
    for (int axis = 0; axis <= operands.get(0).rank() && fitting.size() <= MOST; axis++) {
      if (fits(new Pdpd(axis), operands)) {
        fitting.add(new Pdpd(axis));
      }
    }
    if (fitting.isEmpty()) {
      return "no policy fits";
    }
    String all =
        fitting.stream().limit(MOST).map(Rule::toString).collect(Collectors.joining(" or "));
    return "fits: " + all + (fitting.size() > MOST ? " or others" : "");
  }

  private static boolean fits(Rule rule, ImmutableList<Operand> operands) {
    return rule.attempt(operands).placement().isPresent();
  }

  /** Returns the broadcast_dimensions for two operands of different rank. */
  private static List<Dims> explicit(ImmutableList<Operand> operands) {
    if (operands.size() != 2 || operands.get(0).rank() == operands.get(1).rank()) {
      return List.of();
    }
    boolean firstIsLarger = operands.get(0).rank() > operands.get(1).rank();
    Operand larger = operands.get(firstIsLarger ? 0 : 1);
    Operand smaller = operands.get(firstIsLarger ? 1 : 0);
    if (smaller.rank() == 0) {
      return List.of();
    }
    List<Dims> exact = Mappings.of(smaller, larger, Mappings.EQUAL, MOST);
    return exact.isEmpty() ? Mappings.of(smaller, larger, Mappings.EITHER_ONE, MOST) : exact;
  }
}
