package org.hlo4j.interpreter.broadcast;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.numpy;
import static org.hlo4j.builder.broadcast.BroadcastPolicies.pdpd;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.PRED;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.hlo4j.builder.BroadcastPolicy;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.builder.broadcast.BroadcastPolicies;
import org.hlo4j.builder.broadcast.Broadcasts;
import org.hlo4j.builder.openvino.OpenVinoIr;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.interpreter.Rows;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documented examples of OpenVINO's op pages, ONNX and NumPy, from policy-rows.txt. */
class PolicyRowsTest {
  static List<String> rows() {
    return Rows.lines("policy-rows.txt");
  }

  @ParameterizedTest
  @MethodSource("rows")
  void row(String line) {
    List<String> columns = Rows.columns(line);
    if (columns.get(4).startsWith("illegal")) {
      HloException refusal = assertThrows(HloException.class, () -> built(columns));
      assertThat("illegal " + refusal.label()).isEqualTo(columns.get(4));
    } else {
      HloModule module = built(columns);
      Verifier.strict().verify(module);
      Shape.Array result = (Shape.Array) module.entry().root().shape();
      assertThat(result.sizes()).isEqualTo(sizes(columns.get(4)));
    }
  }

  private static HloModule built(List<String> columns) {
    XlaBuilder b = new XlaBuilder("row");
    List<Dims> shapes =
        Splitter.on(';').trimResults().splitToStream(columns.get(3)).map(s -> sizes(s)).toList();
    return b.build(
        switch (columns.get(1)) {
          case "fold" -> {
            BroadcastPolicy policy = policy(columns.get(2));
            BinaryOperator<XlaOp> add = (x, y) -> x.add(y, policy);
            yield IntStream.range(0, shapes.size())
                .mapToObj(i -> parameter(b, i, F32, shapes))
                .reduce(add)
                .orElseThrow();
          }
          case "select" ->
              parameter(b, 0, PRED, shapes)
                  .select(
                      parameter(b, 1, F32, shapes),
                      parameter(b, 2, F32, shapes),
                      policy(columns.get(2)));
          case "broadcastTo" ->
              Broadcasts.broadcastTo(parameter(b, 0, F32, shapes), shapes.get(1).toArray());
          case "expand" -> Broadcasts.expand(parameter(b, 0, F32, shapes), shapes.get(1).toArray());
          default -> throw new AssertionError(columns.get(1));
        });
  }

  private static XlaOp parameter(XlaBuilder b, int i, ElementType type, List<Dims> shapes) {
    return b.parameter(i, Shape.of(type, shapes.get(i)), "p" + i);
  }

  private static BroadcastPolicy policy(String text) {
    return switch (text) {
      case "none()" -> BroadcastPolicies.none();
      case "numpy()" -> numpy();
      case "pdpd()" -> pdpd();
      case "explicit(0)" -> BroadcastPolicies.explicit(0);
      default -> pdpd(Integer.parseInt(text.replaceAll("pdpd\\((.*)\\)", "$1")));
    };
  }

  private static Dims sizes(String text) {
    return text.equals("()") ? Dims.of() : Rows.dims(text);
  }

  private static Literal run(BinaryOperator<XlaOp> op, Literal first, Literal second) {
    XlaBuilder b = new XlaBuilder("values");
    XlaOp x = b.parameter(0, first.arrayShape(), "x");
    XlaOp y = b.parameter(1, second.arrayShape(), "y");
    return Evaluators.both().run(b.build(op.apply(x, y)), first, second);
  }

  @Test
  void valuesOfNumPysPage() {
    Literal counting = Literal.of(new float[] {1, 2, 3});
    assertThat(run((x, y) -> x.mul(y, numpy()), counting, Literal.of(new float[] {2, 2, 2})))
        .isEqualTo(Literal.of(new float[] {2, 4, 6}));
    assertThat(run((x, y) -> x.mul(y, numpy()), counting, Literal.of(2f)))
        .isEqualTo(Literal.of(new float[] {2, 4, 6}));
    Literal sums = Literal.of(new float[][] {{1, 2, 3}, {11, 12, 13}, {21, 22, 23}, {31, 32, 33}});
    Literal tens = Literal.of(new float[][] {{0, 0, 0}, {10, 10, 10}, {20, 20, 20}, {30, 30, 30}});
    assertThat(run((x, y) -> x.add(y, numpy()), tens, counting)).isEqualTo(sums);
    Literal column = Literal.of(new float[][] {{0}, {10}, {20}, {30}});
    assertThat(run((x, y) -> x.add(y, numpy()), column, counting)).isEqualTo(sums);
  }

  @Test
  void theDefaultAxisOfPdpdCountsDimensionsOfSizeOne() {
    Literal a = Literal.zeros(Shape.of(S32, 2, 2, 2));
    Literal b = Literal.of(new int[][] {{1}, {2}});
    assertThat(run((x, y) -> x.add(y, pdpd()), a, b))
        .isEqualTo(Literal.of(new int[][][] {{{1, 1}, {2, 2}}, {{1, 1}, {2, 2}}}));
    assertThat(run((x, y) -> x.add(y, pdpd(0)), a, b))
        .isEqualTo(Literal.of(new int[][][] {{{1, 1}, {1, 1}}, {{2, 2}, {2, 2}}}));
  }

  @Test
  void theSecondOperandOfPdpdIsTheOneBroadcastAlsoWhenOrderMatters() {
    Literal a = Literal.of(new int[][] {{1, 2}, {3, 4}});
    Literal b = Literal.of(new int[] {10, 20});
    assertThat(run((x, y) -> x.sub(y, pdpd(0)), a, b))
        .isEqualTo(Literal.of(new int[][] {{-9, -8}, {-17, -16}}));
    assertThat(run((x, y) -> x.lt(y, numpy()), a, Literal.of(2)))
        .isEqualTo(Literal.of(new boolean[][] {{true, false}, {false, false}}));
  }

  @Test
  void valuesOfOpenVinosSelect() {
    XlaBuilder b = new XlaBuilder("select");
    Literal pred = Literal.of(new boolean[][] {{false, false}, {true, false}, {true, true}});
    Literal onTrue = Literal.of(new int[][] {{-1, 0}, {1, 2}, {3, 4}});
    Literal onFalse = Literal.of(new int[][] {{11, 10}, {9, 8}, {7, 6}});
    XlaOp p = b.parameter(0, pred.arrayShape(), "pred");
    XlaOp t = b.parameter(1, onTrue.arrayShape(), "on_true");
    XlaOp f = b.parameter(2, onFalse.arrayShape(), "on_false");
    HloModule module = b.build(p.select(t, f, numpy()));
    assertThat(Evaluators.both().run(module, pred, onTrue, onFalse))
        .isEqualTo(Literal.of(new int[][] {{11, 10}, {1, 8}, {3, 4}}));
  }

  @Test
  void clampBetweenBoundsOfEachColumn() {
    XlaBuilder b = new XlaBuilder("clamp");
    Literal operand = Literal.of(new float[][] {{-5, 5}, {0, 50}});
    XlaOp x = b.parameter(0, operand.arrayShape(), "x");
    XlaOp low = b.constant(new float[] {-1, 10});
    XlaOp high = b.constant(new float[][] {{3}, {20}});
    HloModule module = b.build(x.clamp(low, high, numpy()));
    assertThat(Evaluators.both().run(module, operand))
        .isEqualTo(Literal.of(new float[][] {{-1, 3}, {0, 20}}));
  }

  private static Literal layer(String type, Literal first, Literal second) {
    XlaBuilder b = new XlaBuilder("layer");
    XlaOp x = b.parameter(0, first.arrayShape(), "x");
    XlaOp y = b.parameter(1, second.arrayShape(), "y");
    String dims = dims(first);
    String layer =
        ("<layer type='%s' version='opset15'><input><port id='0'>%s</port><port id='1'>%s</port>"
                + "</input><output><port id='2'>%s</port></output></layer>")
            .formatted(type, dims, dims(second), dims);
    XlaOp result = OpenVinoIr.readLayer(layer, List.of(x, y)).result();
    return Evaluators.both().run(b.build(result), first, second);
  }

  private static String dims(Literal literal) {
    return literal.arrayShape().sizes().stream()
        .mapToObj(size -> "<dim>" + size + "</dim>")
        .collect(Collectors.joining());
  }

  @Test
  void valuesOfOpenVinosLayers() {
    Literal x = Literal.of(new int[] {7, -7, 7, -7, 6});
    Literal y = Literal.of(new int[] {2, 2, -2, -2, -2});
    assertThat(layer("Divide", x, y)).isEqualTo(Literal.of(new int[] {3, -4, -4, 3, -3}));
    assertThat(layer("FloorMod", x, y)).isEqualTo(Literal.of(new int[] {1, 1, -1, -1, 0}));
    assertThat(layer("Mod", x, y)).isEqualTo(Literal.of(new int[] {1, -1, 1, -1, 0}));
    assertThat(layer("SquaredDifference", x, y))
        .isEqualTo(Literal.of(new int[] {25, 81, 81, 25, 64}));
    assertThat(layer("BitwiseRightShift", x, Literal.of(1)))
        .isEqualTo(Literal.of(new int[] {3, -4, 3, -4, 3}));
    Literal data = Literal.of(new float[][][] {{{-1, 2, -3}, {-4, 5, -6}}});
    assertThat(layer("PReLU", data, Literal.of(new float[] {10, 100})))
        .isEqualTo(Literal.of(new float[][][] {{{-10, 2, -30}, {-400, 5, -600}}}));
    assertThat(layer("Divide", Literal.of(new float[] {7}), Literal.of(new float[] {-2})))
        .isEqualTo(Literal.of(new float[] {-3.5f}));
  }
}
