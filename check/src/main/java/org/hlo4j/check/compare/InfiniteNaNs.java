package org.hlo4j.check.compare;

import java.util.Optional;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.ReducePrecision;

/**
 * Reductions of precision to no mantissa bits that make NaNs infinities of their sign, as the
 * interpreters of XLA and StableHLO do. XLA's documentation and its compilers keep NaNs.
 */
final class InfiniteNaNs {
  private static final String REDUCED =
      """
      HloModule reduced
      ENTRY @reduced {
        @x = T[ALL] parameter(0)
        @one.zero = T[] constant(0)
        @one.infinity = T[] constant(inf)
        @zero = T[ALL] broadcast(@one.zero), dimensions={}
        @infinity = T[ALL] broadcast(@one.infinity), dimensions={}
        @minus.infinity = T[ALL] negate(@infinity)
        @is.nan = pred[ALL] compare(@x, @x), direction=NE
        @is.negative = pred[ALL] compare(@x, @zero), direction=LT, type=TOTALORDER
        @infinite = T[ALL] select(@is.negative, @minus.infinity, @infinity)
        @finite = T[ALL] reduce-precision(@x), exponent_bits=EXPONENT, mantissa_bits=0
        ROOT @all = T[ALL] select(@is.nan, @infinite, @finite)
      }
      """;

  private InfiniteNaNs() {}

  /** Returns whether a module reduces floats to no mantissa bits. */
  static boolean mayBeIn(HloModule module) {
    return module.computations().stream()
        .flatMap(computation -> computation.instructions().stream())
        .anyMatch(each -> text(each).isPresent());
  }

  /** Returns the module in which NaNs become infinities. */
  static HloModule of(HloModule module) {
    return Expansion.of(module, InfiniteNaNs::text);
  }

  private static Optional<String> text(HloInstruction instruction) {
    if (!(instruction.op() instanceof ReducePrecision op)
        || op.mantissaBits() > 0
        || !(instruction.shape() instanceof Shape.Array shape)
        || !shape.elementType().hasInfinity()) {
      return Optional.empty();
    }
    String all = shape.withLayout(null).toString();
    return Optional.of(
        REDUCED
            .replace("[ALL]", all.substring(all.indexOf('[')))
            .replace("T[", shape.elementType() + "[")
            .replace("EXPONENT", String.valueOf(op.exponentBits())));
  }
}
