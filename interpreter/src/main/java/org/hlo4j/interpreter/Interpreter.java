package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.compiled.CompiledEvaluator;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.engine.CustomCallTargets;
import org.hlo4j.interpreter.engine.Program;
import org.hlo4j.interpreter.engine.sizes.SizedModule;
import org.hlo4j.interpreter.reference.ReferenceEvaluator;
import org.hlo4j.interpreter.reference.ReferenceOps;

/** The factory of evaluators: the reference and the compiled one. */
public final class Interpreter {
  /**
   * The targets of custom calls that are known without an implementation from the user, since XLA
   * or JAX define them; see {@link EvaluatorOptions}. {@link EvaluatorOptions.Builder#customCall}
   * can replace them.
   */
  public static final ImmutableSet<String> KNOWN_CUSTOM_CALLS = ReferenceOps.KNOWN_TARGETS;

  private Interpreter() {}

  /**
   * Returns a refusal for each custom call of a module whose target is not one of {@link
   * #KNOWN_CUSTOM_CALLS}: it runs only with an implementation from the user.
   *
   * @param module the module
   * @return the refusals, with the instruction and its place; none if all targets are known
   */
  public static ImmutableList<HloException> unknownCustomCalls(HloModule module) {
    return new CustomCallTargets(KNOWN_CUSTOM_CALLS, ImmutableSet.of()).refusals(module);
  }

  /**
   * Returns the reference evaluator: a direct implementation of the specification, one instruction
   * after the other.
   *
   * <p>Floats follow IEEE 754, with denormals, NaN and signed zeros; integers wrap; division by
   * zero gives all ones, remainder by zero the dividend; shifts by the width or more give 0 or the
   * sign. Transcendental functions are computed in double and rounded once; dots, and reductions by
   * plain addition of floats, accumulate in double and round once. Every computed NaN is the one
   * quiet NaN of its type.
   *
   * <p>Copied elements keep their bits, including signalling NaNs and payloads, as in XLA: in ops
   * that move elements, {@code select}, {@code real}, {@code imag}, {@code complex}, {@code negate}
   * and {@code abs} (which change only the sign bit), and {@code reduce-precision}. The same holds
   * for elements that no window of a scatter, select-and-scatter or dynamic-update-slice reaches,
   * and for initial values that a reduction combines with nothing.
   *
   * @return the evaluator; it has no state and may be shared
   */
  public static Evaluator reference() {
    return reference(EvaluatorOptions.defaults());
  }

  /**
   * Returns the reference evaluator with options.
   *
   * @param options limits and further inputs of each run
   * @return the evaluator; it has no state and may be shared
   */
  public static Evaluator reference(EvaluatorOptions options) {
    return new ReferenceEvaluator(options);
  }

  /**
   * Returns the compiled evaluator, which compiles a module to loops and then runs these.
   *
   * <p>Integers, booleans, comparisons and moved elements are bit-identical to the reference, and
   * so is the arithmetic of floats ({@code add}, {@code multiply}, {@code divide}, {@code sqrt} …).
   * The following may differ:
   *
   * <ul>
   *   <li>Transcendental functions are within 1 unit in the last place of the correctly rounded
   *       f32, and 2 of f64.
   *   <li>Sums are added in another order, which depends on shapes and layouts alone. That of a row
   *       of a product depends on the number of rows only where an operand is not row-major. {@code
   *       reduce} adds in double and rounds once. {@code dot} and {@code convolution} use fused
   *       multiply-add in the type itself, or f32 for narrower types, so that n terms err by at
   *       most n * 2^-24 (f64: 2^-53) of the sum of their magnitudes.
   *   <li>{@code fft} of n numbers computes in double and errs by at most 4 * (2 + log2 n) * 2^-53
   *       of the greatest one, before it is rounded. Which numbers of a transform of infinities are
   *       NaN is not specified, as in XLA.
   *   <li>Where the sum of the magnitudes of the terms overflows the type of the partial sums, one
   *       evaluator may give an infinity or NaN where the other gives a number.
   *   <li>A computed NaN may have another sign and payload, which may differ from run to run, where
   *       no instruction of the module looks at the bits of floats.
   * </ul>
   *
   * <p>No bit of a number, or of a NaN that is only moved, depends on the number of threads, or on
   * whether the Vector API ({@code --add-modules jdk.incubator.vector}) is available to speed it
   * up.
   *
   * @return the evaluator; it may be shared, and keeps the compiled code of modules that are still
   *     in use
   */
  public static Evaluator compiled() {
    return compiled(EvaluatorOptions.defaults());
  }

  /**
   * Returns the compiled evaluator with options. A step is an instruction that remains after
   * compilation, so a run has fewer steps than the module has instructions. With a listener, every
   * instruction is computed by itself.
   *
   * @param options limits and further inputs of each run
   * @return the evaluator; it may be shared, and keeps the compiled code of modules that are still
   *     in use
   */
  public static Evaluator compiled(EvaluatorOptions options) {
    return new CompiledEvaluator(options, new ReferenceOps());
  }

  /**
   * Returns a module with bounds in place of sizes, such as {@code f32[<=8]}, at the sizes of its
   * arguments, for systems that want static sizes. Its values are those that the module has.
   *
   * @param module the module
   * @param arguments a static shape for each parameter
   * @return the module with static sizes
   * @throws HloException if the module breaks a rule; of kind {@code UNSUPPORTED} if a size depends
   *     on data, or a start that is data may be out of place
   */
  public static HloModule atSizes(HloModule module, List<? extends Shape> arguments) {
    ReferenceOps reference = new ReferenceOps();
    HloModule lowered = Program.verifyAndLower(module, EvaluatorOptions.defaults(), reference);
    SizedModule sized;
    try {
      sized = SizedModule.of(lowered, ImmutableList.copyOf(arguments), reference);
    } catch (HloException refusal) {
      throw new HloException(HloException.Kind.UNSUPPORTED, "sizes: " + refusal.summary());
    }
    HloException.require(
        !sized.isChecked(),
        HloException.Kind.UNSUPPORTED,
        "sizes: a start that is data may be out of place, want one that is known");
    return sized.module();
  }

  /**
   * Describes whether the compiled evaluator uses the Vector API in this process. Without it,
   * results have the same bits but take longer. {@code --add-modules jdk.incubator.vector} makes it
   * available, {@code -Dhlo4j.vectors=false} disables it.
   *
   * @return text such as {@code vectors: on, 256 bits}, or {@code vectors: off, } followed by the
   *     reason
   */
  public static String vectors() {
    return Machine.describeVectors();
  }
}
