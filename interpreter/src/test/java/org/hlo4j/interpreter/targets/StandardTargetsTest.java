package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.F64;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.List;
import java.util.Random;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.DeviceGrid;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.hlo4j.interpreter.agreement.Evaluators;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The custom calls of JAX's exports, each in a module of HLO text. */
public final class StandardTargetsTest {
  public static Literal run(String entry, Literal... arguments) {
    return Evaluators.both().run(Parser.parse("HloModule m\n" + entry), arguments);
  }

  public static String call(String target, String result, String... operands) {
    StringBuilder text = new StringBuilder("ENTRY e {\n");
    StringBuilder names = new StringBuilder();
    for (int i = 0; i < operands.length; i++) {
      text.append("p").append(i).append(" = ").append(operands[i]);
      text.append(" parameter(").append(i).append(")\n");
      names.append(i == 0 ? "" : ", ").append("p").append(i);
    }
    return text
        + "ROOT r = "
        + result
        + " custom-call("
        + names
        + "), custom_call_target="
        + target
        + "\n}";
  }

  public static Literal random(ElementType type, long... sizes) {
    Random numbers = new Random(5);
    Shape.Array shape = Shape.of(type, sizes);
    LiteralBuilder builder = new LiteralBuilder(shape);
    for (int i = 0; i < shape.elementCount(); i++) {
      if (type.isComplex()) {
        builder.setComplex(i, numbers.nextGaussian(), numbers.nextGaussian());
      } else {
        builder.setDouble(i, numbers.nextGaussian());
      }
    }
    return builder.build();
  }

  static Literal multiply(Literal a, Literal b) {
    return run(
        "ENTRY e {\na = "
            + a.shape()
            + " parameter(0)\nb = "
            + b.shape()
            + " parameter(1)\nROOT d = dot(a, b), lhs_contracting_dims={1},"
            + " rhs_contracting_dims={0}\n}",
        a,
        b);
  }

  static Literal adjoint(Literal a) {
    Shape.Array shape = a.arrayShape();
    int rows = (int) shape.size(0);
    int columns = (int) shape.size(1);
    LiteralBuilder result = new LiteralBuilder(Shape.of(a.elementType(), columns, rows));
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        int from = i * columns + j;
        if (a.elementType().isComplex()) {
          result.setComplex(j * rows + i, a.realAt(from), -a.imaginaryAt(from));
        } else {
          result.setDouble(j * rows + i, a.doubleAt(from));
        }
      }
    }
    return result.build();
  }

  /** The part of a matrix at least so far from the diagonal: row + least <= column. */
  private static Literal upper(Literal a, int least) {
    Shape.Array shape = a.arrayShape();
    LiteralBuilder result = LiteralBuilder.zeros(shape);
    for (int i = 0; i < shape.size(0); i++) {
      for (int j = Math.max(0, i + least); j < shape.size(1); j++) {
        result.copy(a.linear(i, j), a, a.linear(i, j));
      }
    }
    return result.build();
  }

  static void assertClose(Literal got, Literal want) {
    assertThat(got.shape()).isEqualTo(want.shape());
    double[] g = got.toDoubles();
    double[] w = want.toDoubles();
    for (int i = 0; i < g.length; i++) {
      assertThat(g[i]).isWithin(1e-12).of(w[i]);
    }
  }

  static Literal identity(ElementType type, int n) {
    return run(
        "ENTRY e {\ni = s32["
            + n
            + ","
            + n
            + "] iota(), iota_dimension=0\nj = s32["
            + n
            + ","
            + n
            + "] iota(), iota_dimension=1\nk = compare(i, j), direction=EQ\nROOT r = "
            + Shape.of(type, n, n)
            + " convert(k)\n}");
  }

  @Test
  void annotationsGiveTheirOperand() {
    for (String target :
        List.of("Sharding", "annotate_device_placement", "MoveToHost", "MoveToDevice")) {
      assertThat(run(call('"' + target + '"', "f64[3,2]", "f64[3,2]"), random(F64, 3, 2)))
          .isEqualTo(random(F64, 3, 2));
    }
  }

  @Test
  void topKWithoutComparatorGivesTheLargest() {
    Literal result =
        run(
            call("\"TopK\"", "(f32[2,2], s32[2,2])", "f32[2,3]"),
            Literal.of(new float[][] {{1, 3, 2}, {5, 5, 7}}));
    assertThat(result.toString())
        .isEqualTo("(f32[2,2], s32[2,2]) ( { { 3, 2 }, { 7, 5 } }, { { 1, 2 }, { 2, 0 } } )");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "i = s32[] parameter(2)\nj = s32[] parameter(3)"})
  void topKFollowsItsComparator(String places) {
    Literal result =
        run(
            """
            least {
              a = f32[] parameter(0)
              b = f32[] parameter(1)
              PLACES
              ROOT c = pred[] compare(a, b), direction=LT
            }
            ENTRY e {
              x = f32[4] parameter(0)
              ROOT t = (f32[2], s32[2]) custom-call(x), custom_call_target="TopK",
                called_computations={least}
            }
            """
                .replace("PLACES", places),
            Literal.of(new float[] {4, 1, 3, 1}));
    assertThat(result.toString()).isEqualTo("(f32[2], s32[2]) ( {1, 1}, {1, 3} )");
  }

  @ParameterizedTest
  @CsvSource({"F64, 6, 4", "F64, 4, 4", "F64, 3, 5", "C128, 5, 3", "F64, 1, 1", "F64, 0, 0"})
  void qrGivesBackTheMatrix(ElementType type, int m, int n) {
    int least = Math.min(m, n);
    Literal a = random(type, m, n);
    String taus = Shape.of(type, least).toString();
    Literal packed =
        run(call("\"Qr\"", "(" + a.shape() + ", " + taus + ")", a.shape().toString()), a);
    Literal columns = upper(packed.element(0), -m);
    Literal square =
        run(
            "ENTRY e {\np = "
                + a.shape()
                + " parameter(0)\nROOT s = slice(p), slice={[0:"
                + m
                + "], [0:"
                + least
                + "]}\n}",
            columns);
    String shape = square.shape().toString();
    Literal q =
        run(
            call("\"ProductOfElementaryHouseholderReflectors\"", shape, shape, taus),
            square,
            packed.element(1));
    Literal r =
        run(
            "ENTRY e {\np = "
                + a.shape()
                + " parameter(0)\nROOT s = slice(p), slice={[0:"
                + least
                + "], [0:"
                + n
                + "]}\n}",
            upper(packed.element(0), 0));
    assertClose(multiply(q, r), a);
    assertClose(multiply(adjoint(q), q), identity(type, least));
  }

  @Test
  void luPacksBothAndTheOrderOfRows() {
    Literal result =
        run(
            call("\"LuDecomposition\"", "(f64[3,3], s32[3], s32[3])", "f64[3,3]"),
            Literal.of(new double[][] {{1, 2, 4}, {4, 4, 4}, {2, 6, 1}}));
    // Row 1 comes first, as 4 is the largest; then row 2, as 6 - 2 is larger than 2 - 1.
    assertThat(result.toString())
        .isEqualTo(
            "(f64[3,3], s32[3], s32[3]) ( { { 4, 4, 4 }, { 0.5, 4, -1 }, { 0.25, 0.25, 3.25 } },"
                + " {1, 2, 2}, {1, 2, 0} )");
  }

  @ParameterizedTest
  @CsvSource({"F64, 5", "C128, 4", "F64, 1", "F64, 0"})
  void eighDiagonalizes(ElementType type, int n) {
    Literal given = random(type, n, n);
    Literal a =
        run(
            "ENTRY e {\np = "
                + given.shape()
                + " parameter(0)\nq = "
                + given.shape()
                + " parameter(1)\nROOT s = add(p, q)\n}",
            given,
            adjoint(given));
    Literal result =
        run(
            call(
                "\"Eigh\", backend_config=\"1,1,100,1e-6\"",
                "(" + a.shape() + ", " + Shape.of(F64, n) + ")",
                a.shape().toString()),
            a);
    Literal v = result.element(0);
    double[] w = result.element(1).toDoubles();
    assertThat(w).usingExactEquality().containsExactly(sorted(w)).inOrder();
    LiteralBuilder diagonal = LiteralBuilder.zeros(a.arrayShape());
    for (int i = 0; i < n; i++) {
      if (type == C128) {
        diagonal.setComplex(i * n + i, w[i], 0);
      } else {
        diagonal.setDouble(i * n + i, w[i]);
      }
    }
    assertClose(multiply(a, v), multiply(v, diagonal.build()));
    assertClose(multiply(adjoint(v), v), identity(type, n));
  }

  private static double[] sorted(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted;
  }

  private static final String MANUAL =
      """
      HloModule m, frontend_attributes={xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=2]>}}
      ENTRY e {
        p = f32[4] parameter(0)
        local = f32[1] custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape",
          frontend_attributes={xla.sdy.in_shardings="#sdy.sharding_per_value<[<@mesh, [{\\"y\\", \\"x\\"}]>]>",xla.sdy.manual_axes="#sdy<manual_axes{\\"x\\", \\"y\\"}>"}
        ten = f32[1] constant({10})
        id = u32[] partition-id()
        device = f32[1] reshape(f32[] convert(id))
        more = multiply(device, ten)
        sum = add(local, more)
        ROOT r = f32[4] custom-call(sum), custom_call_target="xla.sdy.LocalToGlobalShape",
          frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\\"x\\", \\"y\\"}>",xla.sdy.out_shardings="#sdy.sharding_per_value<[<@mesh, [{\\"x\\", \\"y\\"}]>]>"}
      }
      """;

  @Test
  void manualComputationsSeeTheirShards() {
    Literal whole = Literal.of(new float[] {1, 2, 3, 4});
    ImmutableList<Literal> results =
        Evaluators.both()
            .runOnDevices(
                Parser.parse(MANUAL),
                new DeviceGrid(1, 4),
                List.of(List.of(whole), List.of(whole), List.of(whole), List.of(whole)));
    // Device x * 2 + y holds element y * 2 + x, adds ten times its number, and gives element 2x +
    // y.
    assertThat(results).hasSize(4);
    for (Literal result : results) {
      assertThat(result).isEqualTo(Literal.of(new float[] {1, 13, 22, 34}));
    }
  }

  static void assertRefused(String message, String text, Literal... arguments) {
    assertThat(assertThrows(HloException.class, () -> run(text, arguments)).getMessage())
        .contains(message);
  }

  @Test
  void refusals() {
    HloException alone =
        assertThrows(
            HloException.class,
            () ->
                Evaluators.both()
                    .runOnDevices(
                        Parser.parse(MANUAL),
                        DeviceGrid.SINGLE,
                        List.of(List.of(Literal.of(new float[] {1, 2, 3, 4})))));
    assertThat(alone.getMessage())
        .contains(
            "custom-call: mesh<[\"x\"=2, \"y\"=2]> is of 4 devices, want as many as run the"
                + " program: 1");
    assertRefused(
        "custom-call: r: result got f32[2], want (f32[2,2], f32[2])",
        call("\"Qr\"", "f32[2]", "f32[2,2]"),
        Literal.zeros(Shape.of(ElementType.F32, 2, 2)));
    assertRefused(
        "custom-call: r: Qr got [s32[2,2]], want 1 operands, the first of them matrices of floats"
            + " or complex numbers",
        call("\"Qr\"", "f32[2]", "s32[2,2]"),
        Literal.zeros(Shape.of(ElementType.S32, 2, 2)));
    assertRefused(
        "custom-call: r: operand got f32[2,3], want square matrices",
        call("\"Eigh\"", "(f32[2,3], f32[3])", "f32[2,3]"),
        Literal.zeros(Shape.of(ElementType.F32, 2, 3)));
    assertRefused(
        "custom-call: r: backend_config got none, want \"lower,sorted,…\", each 0 or 1",
        call("\"Eigh\"", "(f32[2,2], f32[2])", "f32[2,2]"),
        Literal.zeros(Shape.of(ElementType.F32, 2, 2)));
    assertRefused(
        "custom-call: r: TopK of 1 operands got result f32[2], want (values, indices) of one",
        call("\"TopK\"", "f32[2]", "f32[2]"),
        Literal.zeros(Shape.of(ElementType.F32, 2)));
    assertRefused(
        "custom-call: r: taus got f32[3], want one for each of at most 2 columns of f32[2,2]",
        call("\"ProductOfElementaryHouseholderReflectors\"", "f32[2,2]", "f32[2,2]", "f32[3]"),
        Literal.zeros(Shape.of(ElementType.F32, 2, 2)),
        Literal.zeros(Shape.of(ElementType.F32, 3)));
  }

  @Test
  void whatTheUserGivesComesBefore() {
    EvaluatorOptions options =
        EvaluatorOptions.builder()
            .customCall("Sharding", (instruction, in) -> Literal.of(new float[] {7}))
            .build();
    assertThat(
            Evaluators.both(options)
                .run(
                    Parser.parse("HloModule m\n" + call("\"Sharding\"", "f32[1]", "f32[1]")),
                    Literal.of(new float[] {1})))
        .isEqualTo(Literal.of(new float[] {7}));
  }
}
