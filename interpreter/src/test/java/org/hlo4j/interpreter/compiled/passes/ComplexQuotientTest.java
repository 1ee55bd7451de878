package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.module;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

final class ComplexQuotientTest {
  private static final double[] PARTS = {
    0,
    -0.0,
    1,
    -2.5,
    1.1754944e-38,
    -1.4e-45,
    3.4028235e38,
    -1e30,
    Double.POSITIVE_INFINITY,
    Double.NEGATIVE_INFINITY,
    Double.NaN
  };

  /** Divides all numbers with these parts by all others: bit for bit as the reference. */
  @Test
  void specialValues() {
    int numbers = PARTS.length * PARTS.length;
    int count = numbers * numbers;
    LiteralBuilder dividend = new LiteralBuilder(Shape.of(ElementType.C64, Dims.of(count)));
    LiteralBuilder divisor = new LiteralBuilder(Shape.of(ElementType.C64, Dims.of(count)));
    for (int i = 0; i < count; i++) {
      set(dividend, i, i / numbers);
      set(divisor, i, i % numbers);
    }
    HloModule module =
        module(
            "",
            """
            z = c64[N] parameter(0)
            w = c64[N] parameter(1)
            ROOT q = c64[N] divide(z, w)
            """
                .replace("N", String.valueOf(count)));
    Literal[] arguments = {dividend.build(), divisor.build()};
    assertThat(Interpreter.compiled().run(module, arguments))
        .isEqualTo(Interpreter.reference().run(module, arguments));
  }

  private static void set(LiteralBuilder literal, int i, int number) {
    float re = (float) PARTS[number / PARTS.length];
    float im = (float) PARTS[number % PARTS.length];
    literal.setComplex(i, re, im);
  }
}
