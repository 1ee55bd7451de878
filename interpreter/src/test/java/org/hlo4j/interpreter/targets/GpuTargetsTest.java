package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.assertRefused;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.random;

import com.google.common.base.Splitter;
import java.util.List;
import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Evaluator;
import org.hlo4j.interpreter.Interpreter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Custom calls of JAX's lowerings for GPUs, which are those for the CPU by other names. */
class GpuTargetsTest {
  private static String text(String target, String config, String result, Literal... operands) {
    String[] shapes =
        Stream.of(operands).map(Literal::shape).map(Shape::toString).toArray(String[]::new);
    return call("\"" + target + "\", backend_config={" + config + "}", result, shapes);
  }

  private static Literal called(String target, String config, String result, Literal... operands) {
    return Interpreter.reference()
        .run(Parser.parse("HloModule m\n" + text(target, config, result, operands)), operands);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "potrf | lower = true  | uplo = 76 : ui8 | (f64[2,3,3], s32[2])",
        "potrf | lower = false | uplo = 85 : ui8 | (f64[2,3,3], s32[2])",
        "getrf |               |                 | (f64[2,3,3], s32[2,3], s32[2])",
        "geqrf |               |                 | (f64[2,3,3], f64[2,3])",
        "syevd | lower = true, algorithm = 1 : ui8 | uplo = 76 : ui8, mode = 86 : ui8 |"
            + " (f64[2,3,3], f64[2,3], s32[2])",
        "syevd | lower = false | uplo = 85 : ui8 | (f64[2,3,3], f64[2,3], s32[2])",
        "sytrd | lower = true  | uplo = 76 : ui8 |"
            + " (f64[2,3,3], f64[2,3], f64[2,2], f64[2,2], s32[2])",
        "sytrd | lower = false | uplo = 85 : ui8 |"
            + " (f64[2,3,3], f64[2,3], f64[2,2], f64[2,2], s32[2])",
        "gesvd | full_matrices = true, compute_uv = true, transposed = false | mode = 65 : ui8 |"
            + " (f64[2,3,3], f64[2,3], f64[2,3,3], f64[2,3,3], s32[2])",
        "gesdd | full_matrices = false, compute_uv = true, transposed = false | mode = 83 : ui8 |"
            + " (f64[2,3,3], f64[2,3], f64[2,3,3], f64[2,3,3], s32[2])",
      })
  void routinesAreThoseOfLapack(String routine, String gpu, String cpu, String result) {
    Literal a = random(ElementType.F64, 2, 3, 3);
    String lapack = text("lapack_d" + routine + "_ffi", cpu == null ? "" : cpu, result, a);
    for (Evaluator each : List.of(Interpreter.reference(), Interpreter.compiled())) {
      Literal want = each.run(Parser.parse("HloModule m\n" + lapack), a);
      for (String library : new String[] {"cusolver_", "hipsolver_"}) {
        String text = text(library + routine + "_ffi", gpu == null ? "" : gpu, result, a);
        assertThat(each.run(Parser.parse("HloModule m\n" + text), a)).isEqualTo(want);
      }
    }
  }

  @Test
  void jacobiGivesVectorsNotTheirAdjoint() {
    Literal a = Literal.of(new double[][] {{0, 3, 0}, {-4, 0, 0}});
    String config = "full_matrices = true, compute_uv = true";
    String shape = "(f64[2,3], f64[2], f64[2,2], f64[3,3], s32[])";
    Literal adjoint =
        called("cusolver_gesvd_ffi", config + ", transposed = false", shape, a).element(3);
    Literal vectors = called("cusolver_gesvdj_ffi", config, shape, a).element(3);
    assertThat(adjoint.toString()).isEqualTo("f64[3,3] { { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }");
    assertThat(vectors.getDouble(0, 1)).isWithin(0).of(adjoint.getDouble(1, 0));
    Literal b = random(ElementType.C128, 3, 2);
    String economic = "full_matrices = false, compute_uv = true";
    String of = "(c128[3,2], f64[2], c128[3,2], c128[2,2], s32[])";
    Literal u = called("hipsolver_gesvd_ffi", economic + ", transposed = false", of, b);
    Literal v = called("hipsolver_gesvdp_ffi", economic, of, b);
    assertThat(v.element(2)).isEqualTo(u.element(2));
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 2; j++) {
        assertThat(v.element(3).realAt(2 * i + j)).isEqualTo(u.element(3).realAt(2 * j + i));
        assertThat(v.element(3).imaginaryAt(2 * i + j))
            .isWithin(0)
            .of(-u.element(3).imaginaryAt(2 * j + i));
      }
    }
  }

  @Test
  void transposedSingularVectorsComeTheOtherWayRound() {
    Literal a = random(ElementType.F64, 2, 3);
    String config = "full_matrices = false, compute_uv = true, transposed = ";
    Literal plain =
        called(
            "cusolver_gesvd_ffi",
            config + "false",
            "(f64[2,3], f64[2], f64[2,2], f64[2,3], s32[])",
            a);
    Literal transposed =
        called(
            "cusolver_gesvd_ffi",
            config + "true",
            "(f64[2,3], f64[2], f64[2,3], f64[2,2], s32[])",
            a);
    assertThat(transposed.element(2)).isEqualTo(plain.element(3));
    assertThat(transposed.element(3)).isEqualTo(plain.element(2));
    String none = "full_matrices = false, compute_uv = false, transposed = false";
    assertThat(
            called("cusolver_gesvd_ffi", none, "(f64[2,3], f64[2], f64[], f64[], s32[])", a)
                .element(1))
        .isEqualTo(plain.element(1));
  }

  @Test
  void tridiagonalSystemsAndReflectors() {
    Literal lower = Literal.of(new double[] {0, 1, 1});
    Literal main = Literal.of(new double[] {2, 2, 2});
    Literal b = Literal.of(new double[][] {{2}, {3}, {3}});
    assertThat(called("cusparse_gtsv2_ffi", "", "f64[3,1]", lower, main, lower, b).toString())
        .isEqualTo("f64[3,1] { {1}, {0.33333333333333337}, {1.3333333333333333} }");
    Literal a = random(ElementType.F64, 3, 2);
    Literal taus = Literal.of(new double[] {0.5, 0.25});
    assertThat(called("cusolver_orgqr_ffi", "", "f64[3,2]", a, taus))
        .isEqualTo(called("lapack_dorgqr_ffi", "", "f64[3,2]", a, taus));
    Literal c = random(ElementType.F64, 3, 3);
    String config = "left = true, transpose = true";
    assertThat(called("hipsolver_ormqr_ffi", config, "f64[3,3]", a, taus, c))
        .isEqualTo(called("lapack_dormqr_ffi", config, "f64[3,3]", a, taus, c));
  }

  @Test
  void eigenvectorsOfConjugatePairsShareTwoRealColumns() {
    Literal a = Parser.parseLiteral("f64[3,3] {{2, 0, 0}, {0, 0, 4}, {0, -1, 0}}");
    String result = "(f64[3,3], c128[3], f64[3,3], f64[3,3], s32[])";
    Literal packed = called("cusolver_geev_ffi", "left = true, right = true", result, a);
    Literal plain =
        called(
            "lapack_dgeev_ffi",
            "compute_left = 86 : ui8, compute_right = 86 : ui8",
            "(f64[3], f64[3], c128[3,3], c128[3,3], s32[])",
            a);
    assertThat(packed.element(0)).isEqualTo(a);
    for (int j = 0; j < 3; j++) {
      assertThat(packed.element(1).realAt(j)).isEqualTo(plain.element(0).doubleAt(j));
      assertThat(packed.element(1).imaginaryAt(j)).isEqualTo(plain.element(1).doubleAt(j));
    }
    int first = plain.element(1).doubleAt(0) > 0 ? 0 : 1;
    for (int side = 2; side < 4; side++) {
      for (int i = 0; i < 3; i++) {
        Literal vectors = plain.element(side);
        assertThat(packed.element(side).getDouble(i, first))
            .isEqualTo(vectors.realAt(3 * i + first));
        assertThat(packed.element(side).getDouble(i, first + 1))
            .isEqualTo(vectors.imaginaryAt(3 * i + first));
      }
    }
    assertThat(called("cusolver_geev_ffi", "left = false, right = true", result, a).element(2))
        .isEqualTo(Literal.zeros(Shape.of(ElementType.F64, 3, 3)));
    Literal b = random(ElementType.C64, 2, 2, 2);
    Literal complex =
        called(
            "cusolver_geev_ffi",
            "left = false, right = true",
            "(c64[2,2,2], c64[2,2], c64[2,2,2], c64[2,2,2], s32[2])",
            b);
    assertThat(complex.element(3))
        .isEqualTo(
            called(
                    "cuhybrid_eig_comp",
                    "left = false, magma = \\22auto\\22, right = true",
                    "(c64[2,2], c64[2,2,2], c64[2,2,2], s32[2])",
                    b)
                .element(2));
    assertThat(
            called(
                "cuhybrid_eig_real",
                "left = true, right = true",
                "(f64[3], f64[3], c128[3,3], c128[3,3], s32[])",
                a))
        .isEqualTo(plain);
  }

  @Test
  void symmetricProductsAreInTheLowerTriangle() {
    Literal a = Literal.of(new double[][] {{1, 2}, {3, 4}, {5, 6}});
    Literal c = Literal.of(new double[][] {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    Literal two = Literal.of(2.0);
    Literal ten = Literal.of(10.0);
    String target = "cusolver_syrk_ffi";
    assertThat(called(target, "transpose = false", "f64[3,3]", a, c, two, ten).toString())
        .isEqualTo("f64[3,3] { { 20, 2, 3 }, { 62, 100, 6 }, { 104, 158, 212 } }");
    Literal square = Literal.of(new double[][] {{Double.NaN, 2}, {4, 5}});
    assertThat(
            called(
                    "hipsolver_syrk_ffi",
                    "transpose = true",
                    "f64[2,2]",
                    a,
                    square,
                    two,
                    Literal.of(0.0))
                .toString())
        .isEqualTo("f64[2,2] { { 70, 2 }, { 88, 112 } }");
    assertRefused(
        "custom-call: r: got [f64[3,2], f64[3,3], f64[2], f64[]], want matrices a of floats, c as"
            + " the result f64[3,3], and numbers alpha and beta, all stored row by row",
        call(
            "\"cusolver_syrk_ffi\", backend_config={transpose = false}",
            "f64[3,3]",
            "f64[3,2]",
            "f64[3,3]",
            "f64[2]",
            "f64[]"),
        a,
        c,
        Literal.of(new double[] {1, 2}),
        ten);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{1, 2}       | s32[3] {1, 2, 0}",
        "{2, 2}       | s32[3] {2, 0, 1}",
        "{0, 1}       | s32[3] {0, 1, 2}",
        "{7, -1}      | s32[3] {0, 1, 2}",
      })
  void permutationOfPivots(String pivots, String order) {
    List<String> parts = Splitter.on(", ").splitToList(pivots.substring(1, pivots.length() - 1));
    Literal given = Literal.of(parts.stream().mapToInt(Integer::parseInt).toArray());
    for (String prefix : new String[] {"cu", "hip"}) {
      assertThat(called(prefix + "_lu_pivots_to_permutation", "", "s32[3]", given).toString())
          .isEqualTo(order);
    }
  }

  @Test
  void threefryHasTheBitsOfItsAuthors() {
    Literal zero = Literal.of(ElementType.U32, new long[] {0, 0xffffffffL, 0x13198a2eL});
    Literal one = Literal.of(ElementType.U32, new long[] {0, 0xffffffffL, 0x03707344L});
    Literal two = Literal.of(ElementType.U32, new long[] {0, 0xffffffffL, 0x243f6a88L});
    Literal three = Literal.of(ElementType.U32, new long[] {0, 0xffffffffL, 0x85a308d3L});
    String shape = "(u32[3], u32[3])";
    Literal bits = called("cu_threefry2x32_ffi", "", shape, zero, one, two, three);
    assertThat(bits.element(0).toLongs())
        .isEqualTo(new long[] {0x6b200159L, 0x1cb996fcL, 0xc4923a9cL});
    assertThat(bits.element(1).toLongs())
        .isEqualTo(new long[] {0x99ba4efeL, 0xbb002be7L, 0x483df7a0L});
    assertThat(called("hip_threefry2x32_ffi", "", shape, zero, one, two, three)).isEqualTo(bits);
  }

  @Test
  void otherLayoutsAndOptionsAreRefused() {
    assertRefused(
        "custom-call: r: lapack_dgetrf_ffi got matrices stored row by row, want column by column,"
            + " the layout {0,1}",
        call(
            "\"lapack_dgetrf_ffi\", operand_layout_constraints={f64[2,2]{1,0}}",
            "(f64[2,2]{0,1}, s32[2], s32[])",
            "f64[2,2]"),
        random(ElementType.F64, 2, 2));
    assertRefused(
        "custom-call: r: cusolver_gesvd_ffi with transposed = true got matrices stored the other"
            + " way, want row by row",
        call(
            "\"cusolver_gesvd_ffi\", operand_layout_constraints={f64[2,2]{0,1}},"
                + " backend_config={full_matrices = true, compute_uv = true, transposed = true}",
            "(f64[2,2]{0,1}, f64[2], f64[2,2], f64[2,2], s32[])",
            "f64[2,2]"),
        random(ElementType.F64, 2, 2));
    assertRefused(
        "custom-call: r: lower in backend_config got none, want true or false",
        call("\"cusolver_potrf_ffi\", backend_config={}", "(f64[2,2], s32[])", "f64[2,2]"),
        random(ElementType.F64, 2, 2));
    assertRefused(
        "custom-call: r: got [u32[2], u32[2]], want 4 operands of u32 and one shape",
        call("\"cu_threefry2x32_ffi\"", "(u32[2], u32[2])", "u32[2]", "u32[2]"),
        Literal.of(ElementType.U32, new long[] {1, 2}),
        Literal.of(ElementType.U32, new long[] {1, 2}));
  }
}
