package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ComplexPartsTest {
  private static final String PARAMETERS =
      """
      z = c64[2] parameter(0)
      w = c64[2] parameter(1)
      x = s32[2] parameter(2)
      p = pred[2] parameter(3)
      v = c128[2] parameter(4)
      """;

  /** Each row: instructions, an arrow, and what replaces them. Without an arrow they stay. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        """
        ROOT s = c64[2] subtract(z, w)
        -> real = f32[2] real(z)
        real.1 = f32[2] real(w)
        subtract = f32[2] subtract(real, real.1)
        imag = f32[2] imag(z)
        imag.1 = f32[2] imag(w)
        subtract.1 = f32[2] subtract(imag, imag.1)
        ROOT s = c64[2] complex(subtract, subtract.1)
        """,
        """
        a = c64[2] negate(z)
        b = c64[2] reverse(a), dimensions={0}
        ROOT r = f32[2] imag(b)
        -> imag = f32[2] imag(z)
        negate.1 = f32[2] negate(imag)
        ROOT reverse.1 = f32[2] reverse(negate.1), dimensions={0}
        """,
        """
        ROOT n = c128[2] negate(v)
        -> real = f64[2] real(v)
        negate = f64[2] negate(real)
        imag = f64[2] imag(v)
        negate.1 = f64[2] negate(imag)
        ROOT n = c128[2] complex(negate, negate.1)
        """,
        """
        ROOT m = c128[2] multiply(v, v)
        -> real = f64[2] real(v)
        imag = f64[2] imag(v)
        real.1 = f64[2] real(v)
        imag.1 = f64[2] imag(v)
        multiply = f64[2] multiply(real, real.1)
        multiply.1 = f64[2] multiply(imag, imag.1)
        subtract = f64[2] subtract(multiply, multiply.1)
        multiply.2 = f64[2] multiply(real, imag.1)
        multiply.3 = f64[2] multiply(imag, real.1)
        add = f64[2] add(multiply.2, multiply.3)
        ROOT m = c128[2] complex(subtract, add)
        """,
        """
        ROOT n = pred[2] compare(z, w), direction=NE
        -> real = f32[2] real(z)
        real.1 = f32[2] real(w)
        compare = pred[2] compare(real, real.1), direction=NE
        imag = f32[2] imag(z)
        imag.1 = f32[2] imag(w)
        compare.1 = pred[2] compare(imag, imag.1), direction=NE
        ROOT n = pred[2] or(compare, compare.1)
        """,
        """
        ROOT s = c64[2] select(p, z, w)
        -> real = f32[2] real(z)
        real.1 = f32[2] real(w)
        select = f32[2] select(p, real, real.1)
        imag = f32[2] imag(z)
        imag.1 = f32[2] imag(w)
        select.1 = f32[2] select(p, imag, imag.1)
        ROOT s = c64[2] complex(select, select.1)
        """,
        """
        ROOT c = c64[2] convert(x)
        -> convert = f32[2] convert(x)
        constant = f32[] constant(0)
        broadcast = f32[2] broadcast(constant), dimensions={}
        ROOT c = c64[2] complex(convert, broadcast)
        """,
        """
        ROOT c = s32[2] convert(z)
        -> real = f32[2] real(z)
        ROOT c = s32[2] convert(real)
        """,
        """
        ROOT c = pred[2] convert(v)
        -> real = f64[2] real(v)
        convert = pred[2] convert(real)
        imag = f64[2] imag(v)
        convert.1 = pred[2] convert(imag)
        ROOT c = pred[2] or(convert, convert.1)
        """,
        "ROOT e = c64[2] log(z)",
        "ROOT d = c128[2] divide(v, v)",
        "ROOT a = f64[2] abs(v)",
      })
  void opsAreSplitIntoParts(String row) {
    String[] sides = row.split("->", 2);
    assertThat(Rewrites.entry(new ComplexParts(), PARAMETERS + sides[0]))
        .isEqualTo(lines(PARAMETERS + sides[sides.length - 1]));
  }

  private static final String DOT =
      """
      a = c64[3,20,40] parameter(0)
      b = c64[3,40,30] parameter(1)
      ROOT d = c64[3,20,30] dot(a, b), lhs_batch_dims={0}, lhs_contracting_dims={2}, \
      rhs_batch_dims={0}, rhs_contracting_dims={1}
      """;

  @Test
  void complexDotIsFourRealDots() {
    String real =
        "%s = f64[3,20,30] dot(%s, %s), lhs_batch_dims={0}, lhs_contracting_dims={2}, "
            + "rhs_batch_dims={0}, rhs_contracting_dims={1}\n";
    assertThat(Rewrites.entry(new ComplexParts(), DOT))
        .isEqualTo(
            lines(
                """
                a = c64[3,20,40] parameter(0)
                b = c64[3,40,30] parameter(1)
                real = f32[3,20,40] real(a)
                imag = f32[3,20,40] imag(a)
                real.1 = f32[3,40,30] real(b)
                imag.1 = f32[3,40,30] imag(b)
                """
                    + real.formatted("dot", "real", "real.1")
                    + real.formatted("dot.1", "imag", "imag.1")
                    + "subtract = f64[3,20,30] subtract(dot, dot.1)\n"
                    + real.formatted("dot.2", "real", "imag.1")
                    + real.formatted("dot.3", "imag", "real.1")
                    + """
                    add = f64[3,20,30] add(dot.2, dot.3)
                    convert = f32[3,20,30] convert(subtract)
                    convert.1 = f32[3,20,30] convert(add)
                    ROOT d = c64[3,20,30] complex(convert, convert.1)
                    """));
    String small = DOT.replace("40", "2");
    assertThat(Rewrites.entry(new ComplexParts(), small)).isEqualTo(lines(small));
  }

  /** All sums of whole numbers are exact. */
  @ParameterizedTest
  @ValueSource(strings = {"c64", "c128"})
  void valuesOfDots(String type) {
    HloModule module = Rewrites.module("", DOT.replace("c64", type));
    Literal a = whole((Shape.Array) module.entry().parameters().get(0).shape(), 7);
    Literal b = whole((Shape.Array) module.entry().parameters().get(1).shape(), 11);
    assertThat(Interpreter.compiled().run(module, a, b))
        .isEqualTo(Interpreter.reference().run(module, a, b));
  }

  private static Literal whole(Shape.Array shape, int period) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      literal.setComplex(i, i % period - 3, i * i % period);
    }
    return literal.build();
  }
}
