package org.hlo4j.interpreter.compiled.passes;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.compiled.passes.Rewrites.lines;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ComplexLoopStatesTest {
  private static final String LOOP =
      """
      more {
        s = (s32[], c64[4]) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        n = s32[] constant(20)
        ROOT m = pred[] compare(i, n), direction=LT
      }

      turn {
        s = (s32[], c64[4]) parameter(0)
        i = s32[] get-tuple-element(s), index=0
        z = c64[4] get-tuple-element(s), index=1
        one = s32[] constant(1)
        j = s32[] add(i, one)
        w = c64[4] NEXT
        ROOT t = (s32[], c64[4]) tuple(j, w)
      }
      """;

  private static final String ENTRY =
      """
      z = c64[4] parameter(0)
      i = s32[] constant(0)
      t = (s32[], c64[4]) tuple(i, z)
      w = (s32[], c64[4]) while(t), condition=more, body=turn
      ROOT r = c64[4] get-tuple-element(w), index=1
      """;

  @Test
  void loopsCarryRealAndImaginaryParts() {
    String text =
        Rewrites.text(new ComplexLoopStates(), LOOP.replace("NEXT", "multiply(z, z)"), ENTRY);
    assertThat(lines(text))
        .isEqualTo(
            lines(
                """
                more {
                s.2 = (s32[], f32[4], f32[4]) parameter(0)
                get-tuple-element = s32[] get-tuple-element(s.2), index=0
                n = s32[] constant(20)
                ROOT m = pred[] compare(get-tuple-element, n), direction=LT
                }
                turn {
                s.3 = (s32[], f32[4], f32[4]) parameter(0)
                get-tuple-element.3 = s32[] get-tuple-element(s.3), index=0
                get-tuple-element.4 = f32[4] get-tuple-element(s.3), index=1
                get-tuple-element.5 = f32[4] get-tuple-element(s.3), index=2
                complex.1 = c64[4] complex(get-tuple-element.4, get-tuple-element.5)
                one = s32[] constant(1)
                j = s32[] add(get-tuple-element.3, one)
                w = c64[4] multiply(complex.1, complex.1)
                real = f32[4] real(w)
                imag = f32[4] imag(w)
                ROOT tuple.2 = (s32[], f32[4], f32[4]) tuple(j, real, imag)
                }
                ENTRY entry {
                z.1 = c64[4] parameter(0)
                i.2 = s32[] constant(0)
                real.1 = f32[4] real(z.1)
                imag.1 = f32[4] imag(z.1)
                tuple.3 = (s32[], f32[4], f32[4]) tuple(i.2, real.1, imag.1)
                w.2 = (s32[], f32[4], f32[4]) while(tuple.3), condition=more, body=turn
                get-tuple-element.7 = f32[4] get-tuple-element(w.2), index=1
                get-tuple-element.8 = f32[4] get-tuple-element(w.2), index=2
                ROOT complex.2 = c64[4] complex(get-tuple-element.7, get-tuple-element.8)
                }
                """));
  }

  /** A state is split if it is computed from parts and used as parts; {@code z} is the state. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "multiply(z, z)         | true",
        "copy(z)                | false",
        "reverse(z), dimensions={0} | true",
        "fft(z), fft_type=FFT, fft_length={4} | false",
        "log(z)                 | false",
      })
  void splitIfProfitable(String next, boolean isSplit) {
    String text = Rewrites.text(new ComplexLoopStates(), LOOP.replace("NEXT", next), ENTRY);
    assertThat(text.contains("while(tuple")).isEqualTo(isSplit);
  }

  @Test
  void nestedLoops() {
    String inner = LOOP.replace("NEXT", "add(z, z)");
    String outer =
        LOOP.replace("NEXT", "get-tuple-element(inner), index=1")
            .replace("w = ", "u = (s32[], c64[4]) tuple(i, z)\ninner = INNER\nw = ")
            .replace("more {", "outer_more {")
            .replace("turn {", "outer_turn {")
            .replace("INNER", "(s32[], c64[4]) while(u), condition=more, body=turn");
    String entry = ENTRY.replace("=more", "=outer_more").replace("=turn", "=outer_turn");
    HloModule module = Rewrites.module(inner + "\n" + outer, entry);
    Session session = new Session(module);
    HloModule after = new ComplexLoopStates().run(module, session);
    // in both bodies, and before both loops
    assertThat(session.counted("loop state of complex numbers split")).isEqualTo(4);
    Literal ones = Literal.full(Shape.of(ElementType.C64, 4), 1);
    assertThat(Interpreter.reference().run(after, ones))
        .isEqualTo(Interpreter.reference().run(module, ones));
  }
}
