package org.hlo4j.interpreter.broadcast;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Broadcasting;
import org.hlo4j.hlo.op.Compare;
import org.hlo4j.hlo.text.Printer;
import org.hlo4j.interpreter.Rows;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.hlo4j.testing.LiteralSubject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every documented example of XLA's broadcasting, from the tables of the resource files. */
class BroadcastRowsTest {
  /** One row of broadcast-rows.txt. */
  record BinaryRow(
      String number, Shape.Array lhs, Shape.Array rhs, Dims dimensions, String expected) {
    static BinaryRow parse(String line) {
      List<String> columns = Rows.columns(line);
      return new BinaryRow(
          columns.get(0),
          Rows.shape(columns.get(1)),
          Rows.shape(columns.get(2)),
          Rows.dims(columns.get(3)),
          columns.get(4));
    }

    Shape.Array inferred() {
      return Broadcasting.binary(
          new Broadcasting.Operand("lhs", lhs), new Broadcasting.Operand("rhs", rhs), dimensions);
    }

    BinaryRow as(ElementType type) {
      return new BinaryRow(
          number,
          lhs.withElementType(type),
          rhs.withElementType(type),
          dimensions,
          expected.replace("f32", type.toString()));
    }

    boolean sameTypes() {
      return lhs.elementType() == rhs.elementType();
    }
  }

  static List<BinaryRow> binaryRows() {
    return Rows.lines("broadcast-rows.txt").stream().map(BinaryRow::parse).toList();
  }

  static List<List<String>> ternaryRows() {
    return Rows.lines("select-clamp-rows.txt").stream().map(Rows::columns).toList();
  }

  @Test
  void thereAreFiftyRows() {
    assertThat(binaryRows().stream().map(BinaryRow::number).toList())
        .containsExactlyElementsIn(
            IntStream.rangeClosed(1, 50).mapToObj(Integer::toString).toList())
        .inOrder();
  }

  @ParameterizedTest
  @MethodSource("binaryRows")
  void binary(BinaryRow row) {
    if (illegal(row.expected()).isPresent()) {
      String label = illegal(row.expected()).orElseThrow();
      assertThat(assertThrows(HloException.class, row::inferred).label()).isEqualTo(label);
      HloException refusal = assertThrows(HloException.class, () -> built(row));
      assertThat(refusal.label()).isEqualTo(label);
      assertThat(refusal.summary()).startsWith("add: ");
    } else {
      assertThat(row.inferred()).isEqualTo(Rows.shape(row.expected()));
      if (row.lhs().hasUnbounded() || row.rhs().hasUnbounded()) {
        builtOrRefused(row);
      } else {
        checkBuilt(row);
      }
    }
  }

  /** The rule that refuses, where the expectation is one. */
  private static Optional<String> illegal(String expected) {
    return expected.startsWith("illegal ")
        ? Optional.of(expected.substring("illegal ".length()).replace("types", ""))
        : Optional.empty();
  }

  private static HloModule built(BinaryRow row) {
    XlaBuilder b = new XlaBuilder("row_" + row.number());
    XlaOp lhs = b.parameter(0, row.lhs(), "lhs");
    XlaOp rhs = b.parameter(1, row.rhs(), "rhs");
    return b.build(lhs.add(rhs, row.dimensions()));
  }

  private static void checkBuilt(BinaryRow row) {
    HloModule module = built(row);
    Verifier.lenient().verify(module); // strict() refuses unbounded dimensions
    assertThat(module.entry().root().shape()).isEqualTo(Rows.shape(row.expected()));
    assertThat(Printer.print(module)).contains("ROOT %add = " + row.expected());
    if (!module.entry().root().shape().isDynamic()) {
      Literal lhs = numbered(row.lhs(), 1);
      Literal rhs = numbered(row.rhs(), 1000);
      LiteralSubject.assertThat(Evaluators.both().run(module, lhs, rhs))
          .isEqualTo(sum(lhs, rhs, Rows.shape(row.expected()), row.dimensions()));
    }
  }

  /** What no HLO instruction could do is refused; what needs no broadcast is built. */
  private static void builtOrRefused(BinaryRow row) {
    if (row.lhs().sizes().equals(row.rhs().sizes())) {
      checkBuilt(row);
    } else {
      HloException refusal = assertThrows(HloException.class, () -> built(row));
      assertThat(refusal.summary())
          .endsWith("got a size that only run time knows, want bounds on all sizes");
    }
  }

  /** {@code step, 2 * step, 3 * step, ...}: sums of two such tell which elements went in. */
  static Literal numbered(Shape.Array shape, int step) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (shape.elementType().isFloating()) {
        literal.setDouble(i, (i + 1) * step);
      } else {
        literal.setLong(i, (long) (i + 1) * step);
      }
    }
    return literal.build();
  }

  /** {@code result[i] = lhs[source of i] + rhs[source of i]}, of small whole numbers. */
  static Literal sum(Literal lhs, Literal rhs, Shape.Array result, Dims dimensions) {
    int[] left = BroadcastOracle.sources(lhs.arrayShape(), result, dimensions);
    int[] right = BroadcastOracle.sources(rhs.arrayShape(), result, dimensions);
    LiteralBuilder literal = new LiteralBuilder(result);
    for (int i = 0; i < left.length; i++) {
      if (result.elementType().isFloating()) {
        literal.setDouble(i, lhs.doubleAt(left[i]) + rhs.doubleAt(right[i]));
      } else {
        literal.setLong(i, lhs.longAt(left[i]) + rhs.longAt(right[i]));
      }
    }
    return literal.build();
  }

  /** XLA's unit tests hold rows 42 to 48 for compare, complex and the bitwise ops as well. */
  @ParameterizedTest
  @MethodSource("binaryRows")
  void rulesDoNotDependOnTheElementType(BinaryRow row) {
    for (ElementType type : List.of(ElementType.C64, ElementType.S32, ElementType.PRED)) {
      if (row.sameTypes() && row.lhs().elementType() == ElementType.F32) {
        BinaryRow other = row.as(type);
        if (illegal(row.expected()).isPresent()) {
          assertThrows(HloException.class, other::inferred);
        } else {
          assertThat(other.inferred()).isEqualTo(Rows.shape(other.expected()));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("binaryRows")
  void compareBroadcastsTheSameWay(BinaryRow row) {
    if (row.lhs().isDynamic() || row.rhs().isDynamic()) {
      return;
    }
    XlaBuilder b = new XlaBuilder("row");
    XlaOp lhs = b.parameter(0, row.lhs(), "lhs");
    XlaOp rhs = b.parameter(1, row.rhs(), "rhs");
    if (illegal(row.expected()).isPresent()) {
      assertThrows(HloException.class, () -> lhs.lt(rhs, row.dimensions()));
    } else {
      XlaOp compare = lhs.compare(rhs, Compare.Direction.LT, Optional.empty(), row.dimensions());
      assertThat(compare.shape())
          .isEqualTo(Rows.shape(row.expected()).withElementType(ElementType.PRED));
    }
  }

  @ParameterizedTest
  @MethodSource("ternaryRows")
  void selectAndClamp(List<String> row) {
    boolean select = row.get(0).equals("select");
    List<Shape.Array> in = row.subList(1, 4).stream().map(Rows::shape).toList();
    String expected = row.get(4);
    if (illegal(expected).isPresent()) {
      String label = illegal(expected).orElseThrow();
      HloException inference = assertThrows(HloException.class, () -> inferTernary(select, in));
      assertThat(inference.label()).isEqualTo(label);
      HloException builder = assertThrows(HloException.class, () -> builtTernary(select, in));
      assertThat(builder.label()).isEqualTo(label);
    } else {
      assertThat(inferTernary(select, in)).isEqualTo(Rows.shape(expected));
      if (in.stream().noneMatch(Shape.Array::hasUnbounded)) {
        checkTernary(select, in, expected);
      }
    }
  }

  private static Shape.Array inferTernary(boolean select, List<Shape.Array> in) {
    return select
        ? Broadcasting.select(in.get(0), in.get(1), in.get(2))
        : Broadcasting.clamp(in.get(0), in.get(1), in.get(2));
  }

  private static HloModule builtTernary(boolean select, List<Shape.Array> in) {
    XlaBuilder b = new XlaBuilder("row");
    XlaOp first = b.parameter(0, in.get(0), "first");
    XlaOp second = b.parameter(1, in.get(1), "second");
    XlaOp third = b.parameter(2, in.get(2), "third");
    return b.build(select ? first.select(second, third) : second.clamp(first, third));
  }

  private static void checkTernary(boolean select, List<Shape.Array> in, String expected) {
    HloModule module = builtTernary(select, in);
    Verifier.strict().verify(module);
    Shape.Array shape = Rows.shape(expected);
    assertThat(module.entry().root().shape()).isEqualTo(shape);
    assertThat(module.entry().root().operands().stream().map(o -> o.shape().isDynamic()).toList())
        .doesNotContain(true);
    assertWithMessage("all operands have the sizes of the result")
        .that(
            module.entry().root().operands().stream()
                .map(o -> ((Shape.Array) o.shape()).sizes())
                .distinct()
                .toList())
        .containsExactly(shape.sizes());
    assertThat(Printer.print(module)).contains(" = " + expected);
    Literal first = select ? alternating(in.get(0)) : numbered(in.get(0), 2);
    Literal second = numbered(in.get(1), 1);
    Literal third = numbered(in.get(2), 3);
    LiteralSubject.assertThat(Evaluators.both().run(module, first, second, third))
        .isEqualTo(
            select ? chosen(first, second, third, shape) : clamped(first, second, third, shape));
  }

  private static Literal alternating(Shape.Array shape) {
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      literal.setBoolean(i, i % 2 == 1);
    }
    return literal.build();
  }

  private static Literal chosen(Literal pred, Literal onTrue, Literal onFalse, Shape.Array shape) {
    int[] sources = BroadcastOracle.sources(pred.arrayShape(), shape, Dims.of());
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < sources.length; i++) {
      literal.copy(i, pred.booleanAt(sources[i]) ? onTrue : onFalse, i);
    }
    return literal.build();
  }

  private static Literal clamped(Literal min, Literal operand, Literal max, Shape.Array shape) {
    int[] low = BroadcastOracle.sources(min.arrayShape(), shape, Dims.of());
    int[] high = BroadcastOracle.sources(max.arrayShape(), shape, Dims.of());
    LiteralBuilder literal = new LiteralBuilder(shape);
    for (int i = 0; i < low.length; i++) {
      double raised = Math.max(number(operand, i), number(min, low[i]));
      double value = Math.min(raised, number(max, high[i]));
      if (shape.elementType().isFloating()) {
        literal.setDouble(i, value);
      } else {
        literal.setLong(i, (long) value);
      }
    }
    return literal.build();
  }

  private static double number(Literal literal, int i) {
    return literal.elementType().isFloating() ? literal.doubleAt(i) : literal.longAt(i);
  }
}
