package org.hlo4j.interpreter.engine.sizes;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.Maps;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.ProgramShape;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.engine.Effects;
import org.hlo4j.interpreter.engine.InstructionEvaluator;

/**
 * A module at the sizes that its arguments have: each bound is a size, and each size that the
 * program computes from sizes is a constant. Its values are those that the module has step by step,
 * since {@link org.hlo4j.interpreter.engine.SizedInstruction} says in both what an instruction is
 * at sizes.
 *
 * <p>There is none if a size depends on data, or if sizes are refused; run step by step, the module
 * says so. A start that is data may be one that sizes and bounds move to different places, which is
 * refused as well: then the result is a tuple of the value and of whether no start was.
 *
 * @param module the module
 * @param isChecked whether its result is such a tuple
 */
public record SizedModule(HloModule module, boolean isChecked) {
  private static final String ENTRY_LAYOUT = "entry_computation_layout";

  /**
   * Returns a module at sizes.
   *
   * @param module a verified module without buffers
   * @param arguments the shapes of the arguments
   * @param evaluator evaluates what is computed from sizes
   * @return the module, static but for what it has inside of calls of the user's functions
   * @throws HloException if there is none; the message says why
   */
  public static SizedModule of(
      HloModule module, List<Shape> arguments, InstructionEvaluator evaluator) {
    SizedComputation entry =
        new Computations(evaluator).entry(module.entry(), ImmutableList.copyOf(arguments));
    HloModule sized =
        HloModule.create(module.name(), entry.computation())
            .withText(
                Maps.filterKeys(module.attributes(), key -> !key.equals(ENTRY_LAYOUT)),
                module.stackFrames());
    HloException.require(
        !entry.isChecked() || !new Effects().containsEffect(sized.entry()),
        "",
        "starts that are data may be refused, which must not repeat effects");
    return new SizedModule(sized, entry.isChecked());
  }

  /**
   * Returns the signature of a computation at the sizes of its arguments.
   *
   * @param computation the computation
   * @param arguments the shapes of the arguments
   * @param evaluator evaluates what is computed from sizes
   * @return the shapes of its parameters and of its value
   * @throws HloException if the sizes of its value depend on data
   */
  public static ProgramShape signature(
      HloComputation computation, List<Shape> arguments, InstructionEvaluator evaluator) {
    return new ProgramShape(
        ImmutableList.copyOf(arguments),
        new Computations(evaluator).of(computation, arguments).result());
  }

  /**
   * Returns whether any shape in a module has bounds.
   *
   * @param module the module
   * @return whether it has
   */
  public static boolean hasBounds(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(instruction -> instruction.shape().isDynamic());
  }
}
