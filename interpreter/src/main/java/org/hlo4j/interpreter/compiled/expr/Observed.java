package org.hlo4j.interpreter.compiled.expr;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.QuietNaN;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The computed values whose bits somebody sees. A NaN among these has to be the one that the
 * reference computes; processors give it a sign or a payload of their own. What is copied keeps its
 * bits.
 *
 * @param <N> the nodes of the formula
 */
public final class Observed<N> {
  private final Function<? super N, Term<N>> terms;
  private final Set<N> seen = new HashSet<>();
  private final Set<N> walked = new HashSet<>();

  /**
   * The values seen in what is computed for some results.
   *
   * @param results nodes that are seen themselves
   * @param terms says what nodes are
   */
  public Observed(Collection<? extends N> results, Function<? super N, Term<N>> terms) {
    this.terms = terms;
    results.forEach(this::see);
    results.forEach(this::walk);
  }

  private void walk(N node) {
    if (terms.apply(node) instanceof Term.Applied<N> applied && walked.add(node)) {
      if (showsBits(applied.op())) {
        applied.operands().forEach(this::see);
      }
      applied.operands().forEach(this::walk);
    }
  }

  private void see(N node) {
    if (seen.add(node)
        && terms.apply(node) instanceof Term.Applied<N> applied
        && QuietNaN.keepsBits(applied.op())) {
      applied.operands().forEach(this::see);
    }
  }

  private static boolean showsBits(Op op) {
    return op instanceof BitcastConvert
        || (op instanceof Compare compare
            && compare.type().equals(Optional.of(Compare.Type.TOTALORDER)));
  }

  /** {@return whether the bits of a value that is given, or fixed, are seen} */
  public boolean hasCopies() {
    return seen.stream().anyMatch(node -> !(terms.apply(node) instanceof Term.Applied));
  }

  /** {@return the value of a node, or the one quiet NaN in place of any NaN that somebody sees} */
  public Value quiet(CodeEmitter emitter, N node, Value value) {
    boolean isNeeded =
        seen.contains(node)
            && terms.apply(node) instanceof Term.Applied<N> applied
            && QuietNaN.isNeededBy(applied.op(), applied.type());
    return isNeeded ? QuietNaN.instead(emitter, value) : value;
  }
}
