package org.hlo4j.interpreter.compiled.passes;

import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.interpreter.engine.OpTraits;
import org.hlo4j.interpreter.engine.OpTraits.Trait;

/** The capabilities to be expected of code generators: all that works on arrays of real numbers. */
final class ExpectedGenerators {
  private ExpectedGenerators() {}

  static Generators all() {
    return withFusion(fusion -> true);
  }

  /** Returns generators with a final decision about whole fusions. */
  static Generators withFusion(Predicate<HloInstruction> fusion) {
    return new Generators(
        ExpectedGenerators::isLoop,
        instruction -> instruction.op() instanceof Reduce,
        instruction -> instruction.op() instanceof Dot || instruction.op() instanceof Convolution,
        fusion);
  }

  private static boolean isLoop(HloInstruction instruction) {
    boolean isKnown =
        switch (instruction.op()) {
          case BitcastConvert _ ->
              instruction.operands().get(0).shape() instanceof Shape.Array operand
                  && instruction.shape() instanceof Shape.Array result
                  && operand.sizes().equals(result.sizes());
          default -> OpTraits.of(instruction.op()).has(Trait.IN_LOOPS);
        };
    return isKnown
        && isReal(instruction)
        && instruction.operands().stream().allMatch(ExpectedGenerators::isReal);
  }

  private static boolean isReal(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.elementType().isComplex();
  }
}
