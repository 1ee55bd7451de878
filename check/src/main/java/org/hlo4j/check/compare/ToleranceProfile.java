package org.hlo4j.check.compare;

import static org.hlo4j.hlo.HloException.require;

import java.util.Optional;
import java.util.OptionalLong;
import org.hlo4j.hlo.ElementType;

/** Which roundings a system may do in another way than the reference. */
public sealed interface ToleranceProfile {
  /**
   * What hlo4j's compiled evaluator promises: functions within 1 ulp (3 in f64), sums in f32 in any
   * order, Fourier transforms and batch norms in f64; all else has the same bits.
   */
  record Compiled() implements ToleranceProfile {}

  /**
   * What XLA and other native compilers may do: functions within their published errors; sums in
   * any order, of narrow types in f32; Fourier transforms and batch norms in their own type; a
   * product that is added without its own rounding; f16 and bf16 rounded only at the end of a
   * chain; the rewrites of XLA's algebraic simplifier; denormal numbers as zero; more digits
   * everywhere.
   *
   * @param ulps how many ulps every function of f32 and f64 may be off; if empty, what is published
   *     for each
   * @param dot how dots and convolutions multiply, if their algorithm does not say
   * @param accumulator the type in which sums of f32 and narrower types are added; if empty, f32
   * @param rewrites whether rewritten forms of the program are as good as itself
   * @param keepsDenormals whether denormal numbers may not be zero
   */
  record Native(
      OptionalLong ulps,
      DotPrecision dot,
      Optional<ElementType> accumulator,
      boolean rewrites,
      boolean keepsDenormals)
      implements ToleranceProfile {
    /** Creates the profile of what is published. */
    public Native() {
      this(OptionalLong.empty(), DotPrecision.F32, Optional.empty(), true, false);
    }

    /** Checks the numbers. */
    public Native {
      ulps.ifPresent(count -> require(count >= 0, "", "ulps got %s, want at least 0", count));
      accumulator.ifPresent(
          type -> require(type.isFloating(), "", "accumulator got %s, want floats", type));
    }
  }
}
