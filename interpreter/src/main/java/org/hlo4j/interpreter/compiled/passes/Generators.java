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

/**
 * The capabilities of the code generators. They are never asked about instructions with dynamic
 * sizes or with effects.
 *
 * @param loop whether an instruction may be part of a loop over elements
 * @param reduction whether a reduction may be fused with the producers of its inputs
 * @param product whether a dot or convolution may be fused with the users of its result
 * @param fusion the final decision: whether there is a kernel for a whole fusion
 */
public record Generators(
    Predicate<HloInstruction> loop,
    Predicate<HloInstruction> reduction,
    Predicate<HloInstruction> product,
    Predicate<HloInstruction> fusion) {
  /**
   * {@return the capabilities to be expected of generators: all that works on arrays of real
   * numbers}
   */
  public static Generators expected() {
    return new Generators(
        Generators::isLoop,
        instruction -> instruction.op() instanceof Reduce,
        instruction -> instruction.op() instanceof Dot || instruction.op() instanceof Convolution,
        fusion -> true);
  }

  /** {@return these generators with another final decision about whole fusions} */
  public Generators withFusion(Predicate<HloInstruction> other) {
    return new Generators(loop, reduction, product, other);
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
        && instruction.operands().stream().allMatch(Generators::isReal);
  }

  private static boolean isReal(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.elementType().isComplex();
  }
}
