package org.hlo4j.tools.graph;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/**
 * The scopes of instructions in the user's program. The scope of an instruction consists of all
 * parts of its {@code op_name}, such as {@code jit(f)/layer_0/dot_general}, except the last part
 * and the parts that all instructions of the computation share.
 */
final class GraphScopes {
  private static final int MAX_DEPTH = 24;

  private GraphScopes() {}

  /**
   * Returns the scope of each instruction. An instruction without a name, and a parameter, belong
   * to the innermost scope that contains all their users.
   */
  static List<ImmutableList<String>> of(
      HloComputation computation, List<? extends List<Integer>> users) {
    List<Optional<ImmutableList<String>>> named =
        computation.instructions().stream().map(GraphScopes::named).toList();
    int shared =
        named.stream()
            .flatMap(Optional::stream)
            .reduce(GraphScopes::prefix)
            .map(List::size)
            .orElse(0);
    List<ImmutableList<String>> scopes = new ArrayList<>();
    named.forEach(scope -> scopes.add(scope.map(s -> inner(s, shared)).orElse(ImmutableList.of())));
    for (int i = scopes.size() - 1; i >= 0; i--) {
      if (named.get(i).isEmpty()) {
        scopes.set(
            i,
            users.get(i).stream()
                .map(scopes::get)
                .reduce(GraphScopes::prefix)
                .orElse(ImmutableList.of()));
      }
    }
    return scopes;
  }

  private static Optional<ImmutableList<String>> named(HloInstruction instruction) {
    return instruction.metadata().opName().isEmpty() || instruction.op() instanceof Parameter
        ? Optional.empty()
        : Optional.of(instruction.metadata().scope());
  }

  private static ImmutableList<String> inner(ImmutableList<String> scope, int shared) {
    return scope.subList(shared, Math.min(scope.size(), shared + MAX_DEPTH));
  }

  private static ImmutableList<String> prefix(ImmutableList<String> a, ImmutableList<String> b) {
    int same = 0;
    while (same < Math.min(a.size(), b.size()) && a.get(same).equals(b.get(same))) {
      same++;
    }
    return a.subList(0, same);
  }
}
