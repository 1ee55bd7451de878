package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Map;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.Scatter;

/**
 * The rule that ops that combine floats combine those of one type. Only ops whose shape rule allows
 * several types are looked at, and of those not the ones that XLA's verifier passes over.
 */
final class MixedPrecision {
  private MixedPrecision() {}

  static void check(HloInstruction instruction) {
    boolean combines =
        instruction.op() instanceof Reduce
            || instruction.op() instanceof Map
            || instruction.op() instanceof Scatter;
    if (!combines) {
      return;
    }
    ImmutableSet<ElementType> types =
        instruction.operands().stream()
            .map(HloInstruction::shape)
            .filter(Shape.Array.class::isInstance)
            .map(shape -> ((Shape.Array) shape).elementType())
            .filter(ElementType::isFloating)
            .collect(toImmutableSet());
    require(
        types.size() <= 1,
        "",
        "%s: operands got %s, want floats of one type; Verifier.lenient() permits several",
        instruction.op().opcode(),
        types);
  }
}
