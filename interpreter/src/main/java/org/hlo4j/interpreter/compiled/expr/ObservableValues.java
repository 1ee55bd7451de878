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
 * The computed values whose bits are observable. A NaN among these has to be the one that the
 * reference computes, because processors compute NaNs with other signs or payloads. Values that are
 * only copied keep their bits.
 *
 * @param <N> the type of the nodes of the formula
 */
public final class ObservableValues<N> {
  private final Function<? super N, Term<N>> terms;
  private final Set<N> seen = new HashSet<>();
  private final Set<N> walked = new HashSet<>();

  /**
   * Finds the observable values among those that some results are computed from: what an op on the
   * way to a result looks at, and the results themselves if others look at them.
   *
   * @param results the nodes that are computed
   * @param areObservable whether the bits of the results are observable
   * @param terms gives the term of a node
   */
  public ObservableValues(
      Collection<? extends N> results, boolean areObservable, Function<? super N, Term<N>> terms) {
    this.terms = terms;
    if (areObservable) {
      results.forEach(this::markObservable);
    }
    results.forEach(this::walk);
  }

  private void walk(N node) {
    if (terms.apply(node) instanceof Term.Applied<N> applied && walked.add(node)) {
      if (observesBits(applied.op())) {
        applied.operands().forEach(this::markObservable);
      }
      applied.operands().forEach(this::walk);
    }
  }

  private void markObservable(N node) {
    if (seen.add(node)
        && terms.apply(node) instanceof Term.Applied<N> applied
        && QuietNaN.keepsBits(applied.op())) {
      applied.operands().forEach(this::markObservable);
    }
  }

  private static boolean observesBits(Op op) {
    return op instanceof BitcastConvert
        || (op instanceof Compare compare
            && compare.type().equals(Optional.of(Compare.Type.TOTALORDER)));
  }

  /**
   * {@return whether NaNs that the code does not compute are observable: those of an input, of a
   * constant or of other bits}
   */
  public boolean observesInputs() {
    return seen.stream()
        .anyMatch(node ->
            !(terms.apply(node) instanceof Term.Applied<N> applied)
                || applied.op() instanceof BitcastConvert);
  }

  /**
   * {@return the value of a node; if its bits are observable, any NaN is replaced by the quiet NaN}
   */
  public Value quiet(CodeEmitter emitter, N node, Value value) {
    boolean isNeeded =
        seen.contains(node)
            && terms.apply(node) instanceof Term.Applied<N> applied
            && QuietNaN.isNeededBy(applied.op(), applied.type());
    return isNeeded ? QuietNaN.canonicalize(emitter, value) : value;
  }
}
