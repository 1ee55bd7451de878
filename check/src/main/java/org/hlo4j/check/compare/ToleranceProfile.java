package org.hlo4j.check.compare;

import static org.hlo4j.hlo.HloException.require;

import java.util.OptionalLong;

/** Which roundings a system may do in another way than the reference. */
public sealed interface ToleranceProfile {
  /**
   * What hlo4j's compiled evaluator promises: functions within 1 ulp (3 in f64), sums in f32 in any
   * order, Fourier transforms and batch norms in f64; all else has the same bits.
   */
  record Compiled() implements ToleranceProfile {}

  /**
   * What XLA:CPU and other native compilers may do: functions within a number of ulps; sums,
   * Fourier transforms and batch norms in their own type, in any order, so that what overflows in
   * one may not in another; a product that is added without its own rounding, also out of a call; a
   * division by multiplication with the reciprocal; constants of a chain first; f16 and bf16
   * rounded only at the end of a chain; denormal numbers as zero.
   *
   * @param ulps how many ulps every function of f32 and f64 may be off; if empty, those that are
   *     published for it
   */
  record Native(OptionalLong ulps) implements ToleranceProfile {
    /** The greatest published error of a function: XLA:CPU's cbrt is off by up to 16 ulps. */
    public static final int DEFAULT_ULPS = 16;

    /** Creates the profile with the published errors of functions. */
    public Native() {
      this(OptionalLong.empty());
    }

    /**
     * Creates the profile with one error for all functions.
     *
     * @param ulps how many ulps functions may be off
     */
    public Native(long ulps) {
      this(OptionalLong.of(ulps));
    }

    /** Checks the number. */
    public Native {
      ulps.ifPresent(count -> require(count >= 0, "", "ulps got %s, want at least 0", count));
    }
  }
}
