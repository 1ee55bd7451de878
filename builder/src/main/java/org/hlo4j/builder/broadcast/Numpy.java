package org.hlo4j.builder.broadcast;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.HloException;

/**
 * The policy with NumPy's rule: dimensions are aligned from the right, and sizes of 1 are stretched
 * on either side.
 */
record Numpy() implements Rule {
  @Override
  public Attempt attempt(ImmutableList<Operand> operands) {
    return FromTheRight.attempt(operands, this, "numpy N1");
  }

  @Override
  public Optional<HloException> ambiguity(ImmutableList<Operand> operands) {
    return Ambiguity.find(operands, FromTheRight::dimensions, this, "explicit");
  }

  @Override
  public String toString() {
    return "numpy()";
  }
}
