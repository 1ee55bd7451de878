package org.hlo4j.interpreter.conformance;

import static com.google.common.truth.Truth.assertThat;

import java.util.List;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.ElementwiseCase;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** From one element type to another: the rows of conversions.txt, and what rows cannot say. */
class ConversionsTest {
  static List<ElementwiseCase> rows() {
    return ElementRows.read("conversions.txt");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row(ElementwiseCase row) {
    LiteralSubject.assertThat(Builds.evaluated(row)).isEqualTo(row.xla());
  }

  /** A literal converts its elements as the op does. */
  @ParameterizedTest
  @MethodSource("rows")
  void literal(ElementwiseCase row) {
    if (row.op().equals("convert")) {
      ElementType to = row.xla().elementType();
      LiteralSubject.assertThat(row.arguments().get(0).convertElementType(to)).isEqualTo(row.xla());
    }
  }

  private static Literal bitcast(Literal operand, ElementType to) {
    XlaBuilder b = new XlaBuilder("bitcast");
    XlaOp x = b.parameter(0, operand.shape(), "x");
    return Evaluators.both().run(b.build(x.bitcastConvertType(to)), operand);
  }

  @Test
  void bitcastToNarrowerPutsTheLeastSignificantPartFirst() {
    LiteralSubject.assertThat(bitcast(Literal.of(new int[] {0x01020304, -1}), ElementType.S8))
        .holds(new byte[][] {{4, 3, 2, 1}, {-1, -1, -1, -1}});
  }

  @Test
  void bitcastToWiderJoinsTheLastDimension() {
    Literal bytes = Literal.of(new byte[][] {{4, 3, 2, 1}, {-1, -1, -1, -1}});
    LiteralSubject.assertThat(bitcast(bytes, ElementType.S32)).holds(new int[] {0x01020304, -1});
  }

  @Test
  void bitcastOfScalars() {
    LiteralSubject.assertThat(bitcast(Literal.of(1f), ElementType.S32)).holds(0x3f800000);
    LiteralSubject.assertThat(bitcast(Literal.of(0x3f800000), ElementType.BF16))
        .isEqualTo(Literal.of(ElementType.BF16, new float[] {0, 1}));
    LiteralSubject.assertThat(bitcast(Literal.of(1.0), ElementType.U32))
        .isEqualTo(Literal.of(ElementType.U32, new long[] {0, 0x3ff00000L}));
  }

  @Test
  void bitcastOfFourBits() {
    Literal nibbles = bitcast(Literal.of(new byte[] {0x7f, (byte) 0x80}), ElementType.S4);
    LiteralSubject.assertThat(nibbles)
        .isEqualTo(Literal.of(ElementType.S4, new int[][] {{-1, 7}, {0, -8}}));
    LiteralSubject.assertThat(bitcast(nibbles, ElementType.S8))
        .holds(new byte[] {0x7f, (byte) 0x80});
  }

  @Test
  void bitcastOfNothing() {
    Literal empty = Literal.zeros(Shape.of(ElementType.S32, 0, 2));
    LiteralSubject.assertThat(bitcast(empty, ElementType.S64))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.S64, 0)));
    LiteralSubject.assertThat(bitcast(empty, ElementType.S16))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.S16, 0, 2, 2)));
  }

  @Test
  void bitcastKeepsThePayloadOfNaN() {
    Literal nan = ElementsTest.bits(ElementType.F64, 0x7ff0000000000001L, 0xfff8000000000002L);
    assertThat(bitcast(nan, ElementType.U64).toLongs())
        .asList()
        .containsExactly(0x7ff0000000000001L, 0xfff8000000000002L)
        .inOrder();
  }

  @ParameterizedTest
  @EnumSource
  void convertToItself(ElementType type) {
    Literal ones = ElementsTest.bits(type, 0, 1);
    XlaBuilder b = new XlaBuilder("same");
    XlaOp x = b.parameter(0, ones.shape(), "x");
    LiteralSubject.assertThat(Evaluators.both().run(b.build(x.convertElementType(type)), ones))
        .isEqualTo(ones);
  }
}
