package org.hlo4j.interpreter.bounded;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;

/** {@link Interpreter#atSizes}: programs with bounds for systems that want static sizes. */
final class AtSizesTest {
  private static HloModule module(String body) {
    return Parser.parse("HloModule m\nENTRY main {\n  x = f32[<=4] parameter(0)\n" + body + "}\n");
  }

  @Test
  void boundsAreTheSizesOfTheArguments() {
    HloModule sized =
        Interpreter.atSizes(
            module(
                """
                  n = s32[] get-dimension-size(x), dimensions={0}
                  s = f32[<=4] add(x, x)
                  ROOT t = (f32[<=4], s32[]) tuple(s, n)
                """),
            List.of(Shape.of(ElementType.F32, 3)));
    assertThat(sized.entry().root().shape().toString()).isEqualTo("(f32[3], s32[])");
    assertThat(Interpreter.reference().run(sized, Literal.of(new float[] {1f, 2f, 3f})))
        .isEqualTo(Literal.tuple(Literal.of(new float[] {2f, 4f, 6f}), Literal.of(3)));
  }

  @Test
  void sizesThatAreDataAreRefused() {
    HloModule module =
        module(
            """
              i = s32[4] constant({1, 2, 3, 4})
              n = s32[] parameter(1)
              ROOT s = s32[<=4] set-dimension-size(i, n), dimensions={0}
            """);
    HloException refusal =
        assertThrows(
            HloException.class,
            () ->
                Interpreter.atSizes(
                    module, List.of(Shape.of(ElementType.F32, 3), Shape.of(ElementType.S32))));
    assertThat(refusal.kind()).isEqualTo(HloException.Kind.UNSUPPORTED);
    assertThat(refusal).hasMessageThat().startsWith("sizes: ");
  }
}
