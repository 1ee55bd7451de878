package org.hlo4j.interpreter;

import com.google.common.collect.ImmutableSet;
import org.hlo4j.interpreter.compiled.CompiledEvaluator;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.reference.ReferenceEvaluator;
import org.hlo4j.interpreter.reference.ReferenceOps;

/** The evaluators there are. */
public final class Interpreter {
  /**
   * The targets of custom calls that need no function of the user's, since XLA or JAX give them a
   * meaning; see {@link EvaluatorOptions}. {@link EvaluatorOptions.Builder#customCall} can put
   * others in their place.
   */
  public static final ImmutableSet<String> KNOWN_CUSTOM_CALLS = ReferenceOps.KNOWN_TARGETS;

  private Interpreter() {}

  /**
   * The reference: a direct reading of the specification, one instruction after the other.
   *
   * <p>IEEE 754 with denormals, NaN and signed zeros kept; integers wrap; division by zero gives
   * all ones, remainder by zero the dividend; shifts by the width or more give 0 or the sign;
   * transcendental functions are computed in double and rounded once; dots, and reductions by plain
   * addition of floats, accumulate in double and round once. Every NaN that is computed is the
   * type's one quiet NaN. What is copied keeps its bits, signalling NaNs and payloads too, as in
   * XLA: in ops that move elements, {@code select}, {@code real}, {@code imag}, {@code complex},
   * {@code negate} and {@code abs} (which change the sign bit alone), and {@code reduce-precision};
   * so do elements that no window of a scatter, select-and-scatter or dynamic-update-slice reaches,
   * and initial values that a reduction combines with nothing.
   *
   * @return the evaluator; it has no state and may be shared
   */
  public static Evaluator reference() {
    return reference(EvaluatorOptions.defaults());
  }

  /**
   * The reference, within limits.
   *
   * @param options limits of each run, and what it is given
   * @return the evaluator; it has no state and may be shared
   */
  public static Evaluator reference(EvaluatorOptions options) {
    return new ReferenceEvaluator(options);
  }

  /**
   * The compiled evaluator: makes loops of a module, then runs those.
   *
   * <p>Integers, booleans, comparisons and moved elements are the reference's to the bit. So is the
   * arithmetic of floats ({@code add}, {@code multiply}, {@code divide}, {@code sqrt} …). What may
   * differ: transcendental functions are within 1 unit in the last place of the correctly rounded
   * f32, 2 of f64; sums are added in another order, which depends on the shapes (a row of a product
   * may have other bits in an array of more rows) and on nothing else: those of {@code reduce} in
   * double, rounded once (in rows of 24 and more, f32 that cannot be negative are added in pairs
   * first, and the sum is within 1 unit in the last place), those of {@code dot} and {@code
   * convolution} fused in the type itself, or f32 for narrower ones, so that n terms err by at most
   * n * 2^-24 (f64: 2^-53) of the sum of their magnitudes. {@code fft} of n numbers computes in
   * double and errs by at most 4 * (2 + log2 n) * 2^-53 of its greatest, before it is rounded;
   * which numbers of a transform of infinities are NaN is not fixed, as in XLA. Padding of a
   * convolution is multiplied as the zeros it is, so that it gives NaN with a weight that is not
   * finite. A computed NaN may have another sign where no instruction of the module looks at the
   * bits of floats. No bit depends on the number of threads, or on whether the Vector API ({@code
   * --add-modules jdk.incubator.vector}) is there to make it fast.
   *
   * @return the evaluator; it may be shared, and keeps what it compiled of modules still in use
   */
  public static Evaluator compiled() {
    return compiled(EvaluatorOptions.defaults());
  }

  /**
   * The compiled evaluator, within limits. A step is what is left of the module's instructions when
   * they are compiled, so that there are fewer of them. With a listener every instruction is
   * computed by itself.
   *
   * @param options limits of each run, and what it is given
   * @return the evaluator; it may be shared, and keeps what it compiled of modules still in use
   */
  public static Evaluator compiled(EvaluatorOptions options) {
    return new CompiledEvaluator(options, new ReferenceOps());
  }

  /**
   * Whether the compiled evaluator uses the Vector API in this process. Without it, results have
   * the same bits but take longer; {@code --add-modules jdk.incubator.vector} makes it available,
   * {@code -Dhlo4j.vectors=false} leaves it unused.
   *
   * @return such as {@code vectors: on, 256 bits}, or {@code vectors: off, } and why
   */
  public static String vectors() {
    return VectorSupport.describe();
  }
}
