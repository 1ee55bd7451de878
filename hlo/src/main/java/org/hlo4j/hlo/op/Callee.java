package org.hlo4j.hlo.op;

import static org.hlo4j.hlo.HloException.require;
import static org.hlo4j.hlo.HloException.requireFitting;

import java.util.List;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;

/**
 * A called computation from the view of the calling op: its attribute name and its signature. A
 * size may be a bound on one side and static on the other, as in XLA.
 *
 * @param name the attribute, such as {@code to_apply}
 * @param signature the shapes of its parameters and result
 */
record Callee(String name, ProgramShape signature) {
  /** Refuses a signature whose parameters are not just these. */
  void requireParameters(String label, List<Shape> want) {
    require(
        signature.parameters().size() == want.size(),
        label,
        "parameter count of %s got %s, want %s: %s",
        name,
        signature.parameters().size(),
        want.size(),
        signature);
    requireFirst(label, want);
  }

  /** Refuses a signature whose parameters do not begin with these. */
  void requireFirst(String label, List<Shape> want) {
    require(
        signature.parameters().size() >= want.size(),
        label,
        "parameter count of %s got %s, want at least %s: %s",
        name,
        signature.parameters().size(),
        want.size(),
        signature);
    for (int i = 0; i < want.size(); i++) {
      require(
          signature.parameters().get(i).hasSameBounds(want.get(i)),
          label,
          "parameter %s of %s got %s, want %s",
          i,
          name,
          signature.parameters().get(i),
          want.get(i).withoutLayout());
    }
  }

  private boolean isReducer() {
    return name.equals("to_apply") || name.equals("scatter");
  }

  /** Refuses a signature whose result is not just this. */
  void requireResult(String label, Shape want) {
    requireFitting(
        signature.result().hasSameBounds(want),
        () -> Fits.result(signature.result(), want, isReducer()),
        label,
        "result of %s got %s, want %s",
        name,
        signature.result(),
        want);
  }
}
