package org.hlo4j.check.compare;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.base.Ascii;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.op.DotAlgorithm;

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

  /**
   * How a system multiplies in dots and convolutions: by operands with fewer digits, or as sums of
   * such.
   */
  enum DotPrecision {
    /** As they are. */
    F32(0, 0),
    /** Cut to the 10 mantissa bits of tf32. */
    TF32(10, 0x1p-9),
    /** As sums of two tf32, three products of them. */
    TF32X3(10, 0x1p-19),
    /** Rounded to f16. */
    F16(10, 0x1p-10),
    /** Rounded to bf16. */
    BF16(7, 0x1p-7),
    /** As sums of two bf16, three products of them. */
    BF16X3(7, 0x1p-15),
    /** As sums of three bf16, six products of them. */
    BF16X6(7, 0x1p-21),
    /** As sums of three bf16, nine products of them. */
    BF16X9(7, 0x1p-22);

    private final int mantissaBits;
    private final double error;

    DotPrecision(int mantissaBits, double error) {
      this.mantissaBits = mantissaBits;
      this.error = error;
    }

    /** Returns what a program prescribes. */
    static DotPrecision of(DotAlgorithm algorithm) {
      // DOT_BF16_BF16_F32_X3: the type of the operands is first, how many products last.
      String name = algorithm.name().replaceAll("DOT_(ANY_)?([A-Z0-9]+)_.*?(X\\d)?$", "$2$3");
      return Arrays.stream(values())
          .filter(each -> each.name().equals(name))
          .findFirst()
          .orElse(F32);
    }

    /** Returns the type in which an algorithm adds terms, if it is not f32 or wider. */
    static ElementType accumulator(DotAlgorithm algorithm, ElementType usual) {
      return switch (algorithm) {
        case DOT_F16_F16_F16, DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM -> ElementType.F16;
        case DOT_BF16_BF16_BF16 -> ElementType.BF16;
        default -> usual;
      };
    }

    /** Returns the relative error of a product of operands of a type. */
    double error(ElementType operands) {
      return operands == ElementType.F64 || operands.mantissaBits() <= mantissaBits ? 0 : error;
    }

    /** Returns the name as the option {@code --dot} has it. */
    @Override
    public String toString() {
      return Ascii.toLowerCase(name());
    }
  }
}
