package org.hlo4j.interpreter.compiled;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Executable;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Kernels that read arrays in longer buffers, where stale elements follow the array. Each row has
 * the shape of {@code a}, whose buffer held twice as many elements before, and an instruction that
 * reads it. Results are exactly those of the reference.
 */
class LongerBuffersTest {
  private static final int COUNT = 2048;

  private static final String PROGRAM =
      """
      HloModule m
      add { p = T[] parameter(0) q = T[] parameter(1) ROOT s = T[] add(p, q) }
      less { p = T[] parameter(0) q = T[] parameter(1) ROOT l = pred[] compare(p, q), direction=LT }
      more { p = T[] parameter(0) q = T[] parameter(1) ROOT l = pred[] compare(p, q), direction=GT }
      ENTRY e {
        x = T[4096] parameter(0)
        i = s32[64,1] parameter(1)
        zero = T[] constant(0)
        long = T[4096] sort(x), dimensions={0}, to_apply=less
        half = T[2048] slice(long), slice={[1024:3072]}
        down = T[2048] sort(half), dimensions={0}, to_apply=more
        up = T[2048] sort(down), dimensions={0}, to_apply=less
        a = SHAPE reshape(up)
        ROOT r = RESULT
      }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[64,32] | f32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
          f32[64,32] | f32[32,32] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
          s32[64,32] | s32[64,64] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}
          f32[1,16,16,8] | f32[1,15,15,8] reduce-window(a, zero), window={size=1x2x2x1}, to_apply=add
          f32[64,32] | f32[64] reduce(a, zero), dimensions={1}, to_apply=add
          f32[64,32] | f32[32] reduce(a, zero), dimensions={0}, to_apply=add
          f32[64,32] | f32[] reduce(a, zero), dimensions={0,1}, to_apply=add
          s64[64,32] | s64[32] reduce(a, zero), dimensions={0}, to_apply=add
          f32[64,32] | f32[32,64] transpose(a), dimensions={1,0}
          f32[64,32] | f32[64,32] sort(a), dimensions={0}, to_apply=more
          s64[64,32] | s64[64,32] sort(a), dimensions={1}, to_apply=more
          s16[64,32] | s16[64,32] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,32}
          f32[64,32] | f32[64,32] scatter(a, i, a), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
          f32[64,32] | f32[64,31] reduce-window(a, zero), window={size=1x2}, to_apply=add
          f64[64,32] | f64[64,32] negate(a)
          f32[2048] | s32[2048] bitcast-convert(a)
          f32[64,32] | f32[64,40] pad(a, zero), padding=0_0x4_4
          """)
  void staleElementsAreNotRead(String shape, String result) {
    String type = shape.substring(0, shape.indexOf('['));
    HloModule module =
        Parser.parse(
            PROGRAM.replace("T[", type + "[").replace("SHAPE", shape).replace("RESULT", result));
    Executable compiled = Interpreter.compiled().compile(module);
    Literal x = numbers(type);
    Literal want = Interpreter.reference().run(module, x, indices());
    assertThat(compiled.run(x, indices())).isEqualTo(want);
    assertThat(compiled.run(x, indices())).isEqualTo(want);
    assertThat(compiled.explain()).contains("temporary ones in 2 buffers");
  }

  private static Literal numbers(String type) {
    ElementType elements = ElementType.named(type).orElseThrow();
    LiteralBuilder literal = new LiteralBuilder(Shape.of(elements, 2 * COUNT));
    for (int i = 0; i < 2 * COUNT; i++) {
      int number = i * 37 % 101 - 50;
      if (elements.isFloating()) {
        literal.setDouble(i, number);
      } else {
        literal.setLong(i, number);
      }
    }
    return literal.build();
  }

  private static Literal indices() {
    LiteralBuilder literal = new LiteralBuilder(Shape.of(ElementType.S32, 64, 1));
    for (int i = 0; i < 64; i++) {
      literal.setLong(i, i * 7 % 64);
    }
    return literal.build();
  }
}
