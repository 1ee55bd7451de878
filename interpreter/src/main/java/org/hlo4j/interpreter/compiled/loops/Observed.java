package org.hlo4j.interpreter.compiled.loops;

import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.QuietNaN;
import org.hlo4j.interpreter.compiled.lanes.Value;

/**
 * The computed values whose bits somebody sees. A NaN among these has to be the one that the
 * reference computes; processors give it a sign or a payload of their own.
 */
final class Observed {
  private final Set<Node> seen = new HashSet<>();
  private final Set<Node> walked = new HashSet<>();

  /** The values seen in what is computed for these, which are seen themselves. */
  Observed(Collection<Node> results) {
    results.forEach(this::see);
    results.forEach(this::walk);
  }

  private void walk(Node node) {
    if (node instanceof Node.Apply apply && walked.add(node)) {
      if (showsBits(apply.op())) {
        apply.operands().forEach(this::see);
      }
      apply.operands().forEach(this::walk);
    }
  }

  private void see(Node node) {
    if (node instanceof Node.Apply apply && seen.add(node) && QuietNaN.keepsBits(apply.op())) {
      apply.operands().forEach(this::see);
    }
  }

  private static boolean showsBits(Op op) {
    return op instanceof BitcastConvert
        || (op instanceof Compare compare
            && compare.type().equals(Optional.of(Compare.Type.TOTALORDER)));
  }

  /** The value of a node, or the one quiet NaN in place of any NaN that somebody sees. */
  Value quiet(Lanes lanes, Node node, Value value) {
    boolean isNeeded =
        node instanceof Node.Apply apply
            && seen.contains(apply)
            && QuietNaN.isNeededBy(apply.op(), apply.type());
    return isNeeded ? QuietNaN.instead(lanes, value) : value;
  }
}
