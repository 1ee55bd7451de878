package org.hlo4j.tools;

import com.google.common.collect.ImmutableList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Parameter;

/**
 * The scopes of instructions in the program they were written in: of the {@code op_name} {@code
 * jit(f)/layer_0/dot_general} the parts but the last, less those that all instructions of the
 * computation share.
 */
final class GraphScopes {
  private static final int MAX_DEPTH = 24;

  private GraphScopes() {}

  /**
   * The scope of each instruction. One that has no name of its own, and a parameter, is in the
   * scope that all its users share.
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
    String name = instruction.metadata().opName();
    return name.isEmpty() || instruction.op() instanceof Parameter
        ? Optional.empty()
        : Optional.of(split(name));
  }

  /** The parts before the last slash; those in parentheses do not part. */
  private static ImmutableList<String> split(String name) {
    ImmutableList.Builder<String> parts = ImmutableList.builder();
    int begin = 0;
    int depth = 0;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == '/' && depth <= 0) {
        parts.add(name.substring(begin, i));
        begin = i + 1;
      }
    }
    return parts.build();
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
