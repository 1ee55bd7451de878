package org.hlo4j.hlo;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.Refusals.assertRefused;

import java.util.stream.Stream;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.proto.HloProtos;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sizes of a literal are static, whatever it was made of. */
final class BoundedLiteralTest {
  private static final Shape.Array BOUNDED = (Shape.Array) Shape.parse("f32[<=2,3]");
  private static final HloModule CONSTANT =
      Parser.parse(
          """
          HloModule m
          ENTRY e {
            ROOT c = f32[<=2,3]{0,1} constant({{0, 0, 0}, {0, 0, 0}})
          }
          """);

  static Stream<Literal> made() {
    return Stream.of(
        Literal.zeros(BOUNDED),
        Literal.full(BOUNDED, 0),
        Literal.of(BOUNDED, new float[6]),
        Literal.unsafeOf(BOUNDED, new float[6]),
        Literal.of(new float[6]).withShape(BOUNDED),
        LiteralBuilder.zeros(BOUNDED).build(),
        Parser.parseLiteral("f32[<=2,3] {{0, 0, 0}, {0, 0, 0}}"),
        Parser.parseLiteral("(f32[<=2,3], s32[]) ({{0, 0, 0}, {0, 0, 0}}, 1)").element(0),
        literal(CONSTANT),
        literal(HloProtos.readModule(HloProtos.writeModule(CONSTANT))));
  }

  private static Literal literal(HloModule module) {
    return ((Constant) module.entry().root().op()).literal();
  }

  @ParameterizedTest
  @MethodSource("made")
  void boundsAreSizes(Literal literal) {
    assertThat(literal).isEqualTo(Literal.of(new float[2][3]));
    assertThat(literal.shape().toString()).isEqualTo("f32[2,3]");
  }

  @Test
  void elementsLeftOut() {
    assertThat(Literal.elided(BOUNDED).shape().toString()).isEqualTo("f32[2,3]");
  }

  @Test
  void shapeOfTheConstant() {
    assertThat(CONSTANT.entry().root().shape().toString()).isEqualTo("f32[2,3]{0,1}");
  }

  @Test
  void unboundedSizesAreRefused() {
    assertRefused(
        "1:8: shape: got f32[?], want a bound for each size\n  f32[?] {1}\n         ^",
        () -> Parser.parseLiteral("f32[?] {1}"));
  }
}
