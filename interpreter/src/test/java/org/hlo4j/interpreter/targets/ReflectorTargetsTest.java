package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.adjoint;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.assertClose;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.assertRefused;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.identity;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.multiply;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.random;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.run;

import java.util.stream.Stream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hessenberg's form, that of three diagonals, and products with reflections, as JAX calls them. */
final class ReflectorTargetsTest {
  private static Literal lapack(String target, String config, String result, Literal... in) {
    String[] shapes =
        Stream.of(in).map(Literal::shape).map(Object::toString).toArray(String[]::new);
    return run(call('"' + target + "\", backend_config={" + config + "}", result, shapes), in);
  }

  private static Literal matrix(String text) {
    return Parser.parseLiteral(text);
  }

  @Test
  void hessenberg() {
    // (4, 3) becomes (-5, 0) by v = (1, 3 / (4 + 5)) and tau = (4 + 5) / 5
    Literal a = matrix("f64[3,3] {{1, 2, 3}, {4, 5, 6}, {3, 8, 8}}");
    String shape = "(f64[3,3], f64[2], s32[])";
    Literal result = lapack("lapack_dgehrd_ffi", "high = 3 : i32, low = 1 : i32", shape, a);
    assertClose(
        result.element(0),
        matrix("f64[3,3] {{1, -3.4, 1.2}, {-5, 12.8, -2.4}, {0.333333333333333, -4.4, 0.2}}"));
    assertClose(result.element(1), matrix("f64[2] {1.8, 0}"));
    assertThat(result.element(2).toString()).isEqualTo("s32[] 0");
  }

  @Test
  void hessenbergOfOneRow() {
    assertThat(
            lapack(
                    "lapack_zgehrd_ffi",
                    "high = 1 : i32, low = 1 : i32",
                    "(c128[2,1,1], c128[2,0], s32[2])",
                    ones())
                .toString())
        .isEqualTo(
            "(c128[2,1,1], c128[2,0], s32[2]) ( { { {(1, 2)} }, { {(3, 4)} } }, { {}, {} }, {0, 0}"
                + " )");
  }

  private static Literal ones() {
    return matrix("c128[2,1,1] {{{(1, 2)}}, {{(3, 4)}}}");
  }

  @Test
  void threeDiagonalsOfOneTriangle() {
    Literal a = matrix("f64[3,3] {{1, 2, 9}, {4, 5, 6}, {3, 8, 8}}");
    String shape = "(f64[3,3], f64[3], f64[2], f64[2], s32[])";
    Literal lower = lapack("lapack_dsytrd_ffi", "uplo = 76 : ui8", shape, a);
    assertClose(
        lower.element(0),
        matrix("f64[3,3] {{1, 2, 9}, {-5, 13.76, 6}, {0.333333333333333, -3.68, -0.76}}"));
    assertClose(lower.element(1), matrix("f64[3] {1, 13.76, -0.76}"));
    assertClose(lower.element(2), matrix("f64[2] {-5, -3.68}"));
    assertClose(lower.element(3), matrix("f64[2] {1.8, 0}"));
    Literal fromBelow = matrix("f64[3,3] {{8, 8, 3}, {7, 5, 4}, {7, 7, 1}}");
    Literal upper = lapack("lapack_dsytrd_ffi", "uplo = 85 : ui8", shape, fromBelow);
    assertClose(
        upper.element(0),
        matrix("f64[3,3] {{-0.76, -3.68, 0.333333333333333}, {7, 13.76, -5}, {7, 7, 1}}"));
    assertClose(upper.element(1), matrix("f64[3] {-0.76, 13.76, 1}"));
    assertClose(upper.element(2), matrix("f64[2] {-3.68, -5}"));
    assertClose(upper.element(3), matrix("f64[2] {0, 1.8}"));
  }

  @Test
  void threeDiagonalsOfComplexNumbersAreReal() {
    Literal a = matrix("c128[2,2] {{(1, 0), (7, 7)}, {(3, 4), (2, 0)}}");
    Literal result =
        lapack(
            "lapack_zhetrd_ffi",
            "uplo = 76 : ui8",
            "(c128[2,2], f64[2], f64[1], c128[1], s32[])",
            a);
    assertThat(result.element(1).toString()).startsWith("f64[2] {1, 2");
    assertThat(result.element(2).toString()).isEqualTo("f64[1] {-5}");
    assertThat(result.element(3).toString()).isEqualTo("c128[1] {(1.6, 0.8)}");
  }

  /** q of a matrix's columns, whole. */
  private static Literal q(Literal packed, Literal taus) {
    ElementType type = packed.elementType();
    String shape = type.isComplex() ? "c128[5,5]" : "f64[5,5]";
    String letters = type.isComplex() ? "zun" : "dor";
    Literal eye = identity(type, 5);
    String config = "left = true, transpose = false";
    return lapack("lapack_" + letters + "mqr_ffi", config, shape, packed, taus, eye);
  }

  @ParameterizedTest
  @CsvSource({
    "F64, true, false",
    "F64, true, true",
    "F64, false, false",
    "F64, false, true",
    "C128, true, false",
    "C128, true, true",
    "C128, false, false",
    "C128, false, true"
  })
  void productsWithReflections(ElementType type, boolean isLeft, boolean isAdjoint) {
    String name = type.toString();
    String letters = type.isComplex() ? "lapack_zun" : "lapack_dor";
    Literal factors =
        lapack(
            type.isComplex() ? "lapack_zgeqrf_ffi" : "lapack_dgeqrf_ffi",
            "",
            "(" + name + "[5,3], " + name + "[3])",
            random(type, 5, 3));
    Literal q = q(factors.element(0), factors.element(1));
    assertClose(multiply(adjoint(q), q), identity(type, 5));
    assertClose(
        lapack(letters + "gqr_ffi", "", name + "[5,3]", factors.element(0), factors.element(1)),
        firstColumns(q));
    Literal c = isLeft ? random(type, 5, 2) : random(type, 2, 5);
    Literal factor = isAdjoint ? adjoint(q) : q;
    assertClose(
        lapack(
            letters + "mqr_ffi",
            "left = " + isLeft + ", transpose = " + isAdjoint,
            c.shape().toString(),
            factors.element(0),
            factors.element(1),
            c),
        isLeft ? multiply(factor, c) : multiply(c, factor));
  }

  /** The last three rows of four. */
  private static Literal lastRows(Literal rows) {
    return run(
        "ENTRY e {\np = f64[4,9] parameter(0)\nROOT r = f64[3,9] slice(p), slice={[1:4], [0:9]}\n}",
        rows);
  }

  private static Literal firstColumns(Literal q) {
    String type = q.elementType().toString();
    return run(
        "ENTRY e {\nq = "
            + q.shape()
            + " parameter(0)\nROOT r = "
            + type
            + "[5,3] slice(q), slice={[0:5], [0:3]}\n}",
        q);
  }

  private static Literal perturbed(String below, String diagonal, String above, String b) {
    Literal columns = matrix(b);
    return lapack(
        "tridiagonal_solve_perturbed_ffi",
        "",
        columns.shape().toString(),
        matrix(below),
        matrix(diagonal),
        matrix(above),
        columns);
  }

  @Test
  void threeDiagonalsThatMayBeSingular() {
    assertClose(
        perturbed(
            "f64[3] {7, 1, 1}",
            "f64[3] {2, 2.5, 2.5}",
            "f64[3] {1, 1, 7}",
            "f64[3,1] {{4}, {9}, {9.5}}"),
        matrix("f64[3,1] {{1}, {2}, {3}}"));
    assertClose( // less than what is below: rows change
        perturbed(
            "f64[3] {7, 1, 1}",
            "f64[3] {2, 2, 2}",
            "f64[3] {4, 1, 7}",
            "f64[3,1] {{10}, {8}, {8}}"),
        matrix("f64[3,1] {{1}, {2}, {3}}"));
    // a pivot of zero is moved by 2^-52 of the greatest element
    assertThat(
            perturbed("f64[2] {0, 0}", "f64[2] {4, 0}", "f64[2] {0, 0}", "f64[2,1] {{4}, {1}}")
                .toString())
        .isEqualTo("f64[2,1] { {1}, {1125899906842624} }");
    assertThat(
            perturbed("f32[2] {0, 1}", "f32[2] {1, 1}", "f32[2] {1, 0}", "f32[2,1] {{1}, {2}}")
                .toString())
        .isEqualTo("f32[2,1] { {-8388607}, {8388608} }");
    // 2^-126, the least f32 with all its bits, until 1e20 divided by it fits
    assertThat(perturbed("f32[1] {0}", "f32[1] {0}", "f32[1] {0}", "f32[1,1] {{1e20}}").toString())
        .isEqualTo("f32[1,1] { {5.76460764e+37} }");
    assertThat(
            perturbed(
                    "c64[1] {(0, 0)}", "c64[1] {(0, 2)}", "c64[1] {(0, 0)}", "c64[1,1] {{(4, 0)}}")
                .toString())
        .isEqualTo("c64[1,1] { {(0, -2)} }");
  }

  @Test
  void threeDiagonalsThatAreNotSingular() {
    Literal below = random(F64, 3, 9);
    Literal diagonal = lastRows(random(F64, 4, 9));
    Literal above = random(F64, 3, 9);
    Literal b = random(F64, 3, 9, 2);
    String vectors = "f64[3,9]";
    String gtsv = "(" + String.join(", ", vectors, vectors, vectors, "f64[3,9,2], s32[3]") + ")";
    assertClose(
        lapack("tridiagonal_solve_perturbed_ffi", "", "f64[3,9,2]", below, diagonal, above, b),
        lapack("lapack_dgtsv_ffi", "", gtsv, below, diagonal, above, b).element(3));
  }

  @Test
  void whatCannotBeTakenIsRefused() {
    Literal square = Literal.zeros(Shape.of(F64, 2, 2));
    String packed = "(f64[2,2], f64[1], s32[])";
    assertRefused(
        "custom-call: r: high got 1, want 2",
        call(
            "\"lapack_dgehrd_ffi\", backend_config={low = 1 : i32, high = 1 : i32}",
            packed,
            "f64[2,2]"),
        square);
    assertRefused(
        "custom-call: r: result got f64[2,2], want (f64[2,2], f64[1], s32[])",
        call("\"lapack_dgehrd_ffi\"", "f64[2,2]", "f64[2,2]"),
        square);
    assertRefused(
        "custom-call: r: operand got f64[2,3], want square matrices",
        call("\"lapack_dsytrd_ffi\"", "(f64[2,3], f64[3], f64[1], f64[1], s32[])", "f64[2,3]"),
        Literal.zeros(Shape.of(F64, 2, 3)));
    assertRefused(
        "custom-call: r: c got f64[3,2], want 2 rows for the rows of f64[2,2]",
        call(
            "\"lapack_dormqr_ffi\", backend_config={left = true, transpose = false}",
            "f64[3,2]",
            "f64[2,2]",
            "f64[2]",
            "f64[3,2]"),
        square,
        Literal.zeros(Shape.of(F64, 2)),
        Literal.zeros(Shape.of(F64, 3, 2)));
    assertRefused(
        "custom-call: r: taus got c128[2], want one for each of at most 2 columns of f64[2,2]",
        call(
            "\"lapack_dormqr_ffi\", backend_config={left = true, transpose = false}",
            "f64[2,2]",
            "f64[2,2]",
            "c128[2]",
            "f64[2,2]"),
        square,
        Literal.zeros(Shape.of(C128, 2)),
        square);
    assertRefused(
        "custom-call: r: tridiagonal_solve_perturbed got [f64[2,2]], want three diagonals as long"
            + " as the columns of b, and b of floats or complex numbers",
        call("\"tridiagonal_solve_perturbed_ffi\"", "f64[2,2]", "f64[2,2]"),
        square);
  }
}
