package org.hlo4j.interpreter.compiled.passes;

import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Bitcast;
import org.hlo4j.hlo.op.BitcastConvert;
import org.hlo4j.hlo.op.Broadcast;
import org.hlo4j.hlo.op.Clamp;
import org.hlo4j.hlo.op.Collective;
import org.hlo4j.hlo.op.CollectiveStart;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.op.Concatenate;
import org.hlo4j.hlo.op.Contraction;
import org.hlo4j.hlo.op.Convert;
import org.hlo4j.hlo.op.Convolution;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.DynamicSlice;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.hlo.op.Elementwise;
import org.hlo4j.hlo.op.External;
import org.hlo4j.hlo.op.ForwardingOp;
import org.hlo4j.hlo.op.Gather;
import org.hlo4j.hlo.op.HigherOrder;
import org.hlo4j.hlo.op.Iota;
import org.hlo4j.hlo.op.Pad;
import org.hlo4j.hlo.op.Reduce;
import org.hlo4j.hlo.op.ReducePrecision;
import org.hlo4j.hlo.op.Reshape;
import org.hlo4j.hlo.op.Reverse;
import org.hlo4j.hlo.op.Routine;
import org.hlo4j.hlo.op.Select;
import org.hlo4j.hlo.op.Sizing;
import org.hlo4j.hlo.op.Slice;
import org.hlo4j.hlo.op.StochasticConvert;
import org.hlo4j.hlo.op.Transpose;

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
          case Broadcast _, Concatenate _, DynamicSlice _, Iota _, Pad _ -> true;
          case Reshape _, Reverse _, Slice _, Transpose _ -> true;
          case Clamp _, Compare _, Convert _, Elementwise _, ReducePrecision _, Select _ -> true;
          case Bitcast _,
              Collective _,
              CollectiveStart _,
              Contraction _,
              DynamicUpdateSlice _,
              External _,
              Gather _,
              HigherOrder _,
              ForwardingOp _,
              Routine _,
              Sizing _,
              StochasticConvert _ ->
              false;
        };
    return isKnown
        && isReal(instruction)
        && instruction.operands().stream().allMatch(Generators::isReal);
  }

  private static boolean isReal(HloInstruction instruction) {
    return instruction.shape() instanceof Shape.Array array && !array.elementType().isComplex();
  }
}
