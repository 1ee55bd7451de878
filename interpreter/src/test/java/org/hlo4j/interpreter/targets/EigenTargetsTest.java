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

import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Eigenvalues, eigenvectors and Schur's form of any square matrix, as JAX calls them. */
final class EigenTargetsTest {
  private static final String BOTH = "compute_left = 86 : ui8, compute_right = 86 : ui8";
  private static final String NEITHER = "compute_left = 78 : ui8, compute_right = 78 : ui8";

  /** A triangle but for one pair, its rows and columns in another order. */
  private static final Literal SHUFFLED =
      matrix(
          "f64[5,5] {{3, 0, 0, 1, 0}, {5, 1, 2, 0, 7}, {2, 0, 4, 6, 8}, {-2, 0, 0, 3, 0},"
              + " {1, 0, 0, 9, 2}}");

  private static Literal geev(String config, Literal a) {
    Shape.Array shape = a.arrayShape();
    String batch = shape.toString().replaceFirst("^\\w+", "");
    String values = batch.replaceFirst(",\\d+]$", "]");
    String infos = batch.replaceFirst(",?\\d+,\\d+]$", "]");
    boolean isComplex = shape.elementType().isComplex();
    String type = shape.elementType().toString();
    String vectors = (isComplex ? type : type.equals("f64") ? "c128" : "c64") + batch;
    String result =
        (isComplex ? "(" : "(" + type + values + ", ")
            + String.join(", ", type + values, vectors, vectors, "s32" + infos)
            + ")";
    String letter =
        switch (shape.elementType()) {
          case F32 -> "s";
          case F64 -> "d";
          case C64 -> "c";
          default -> "z";
        };
    String target = "\"lapack_" + letter + "geev_ffi\", backend_config={" + config + "}";
    return run(call(target, result, shape.toString()), a);
  }

  private static Literal gees(String letter, String values, Literal a) {
    String shape = a.shape().toString();
    String target =
        "\"lapack_" + letter + "gees_ffi\", backend_config={mode = 86 : ui8, sort = 78 : ui8}";
    String result = "(" + shape + ", " + shape + ", " + values + ", s32[], s32[])";
    return run(call(target, result, shape), a);
  }

  private static Literal matrix(String rows) {
    return Parser.parseLiteral(rows);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{{2, 0}, {0, 3}}                        | {2, 3}     | {0, 0}",
        "{{1, 5}, {0, 4}}                        | {1, 4}     | {0, 0}",
        "{{0, 1}, {-1, 0}}                       | {0, 0}     | {1, -1}",
        "{{0, 4}, {-1, 0}}                       | {0, 0}     | {2, -2}",
        "{{7}}                                   | {7}        | {0}",
        "{{0, 0}, {0, 0}}                        | {0, 0}     | {0, 0}",
        "{{3, 1}, {0, 3}}                        | {3, 3}     | {0, 0}",
        "{{0, 0, 2}, {0, 5, 0}, {-2, 0, 0}}      | {0, 0, 5}  | {2, -2, 0}",
        "{{1, 2, 0}, {0, 3, 0}, {0, 0, 0}}       | {1, 3, 0}  | {0, 0, 0}",
        "{{0, 1024}, {0.0009765625, 0}}          | {1, -1}    | {0, 0}",
      })
  void eigenvalues(String rows, String real, String imaginary) {
    int n = real.split(",").length;
    Literal a = matrix("f64[" + n + "," + n + "] " + rows);
    Literal result = geev(NEITHER, a);
    assertClose(result.element(0), matrix("f64[" + n + "] " + real));
    assertClose(result.element(1), matrix("f64[" + n + "] " + imaginary));
    assertThat(result.element(2)).isEqualTo(Literal.zeros(Shape.of(C128, n, n)));
    assertThat(result.element(4).toString()).isEqualTo("s32[] 0");
  }

  @Test
  void eigenvectorsHaveLengthOneAndTheirLargestElementIsReal() {
    Literal pair = geev(BOTH, matrix("f64[2,2] {{0, 4}, {-1, 0}}"));
    assertClose(
        pair.element(3),
        matrix(
            "c128[2,2] {{(0.894427190999916, 0), (0.894427190999916, 0)},"
                + " {(0, 0.447213595499958), (0, -0.447213595499958)}}"));
    assertClose(
        pair.element(2),
        matrix(
            "c128[2,2] {{(0, -0.447213595499958), (0, 0.447213595499958)},"
                + " {(0.894427190999916, 0), (0.894427190999916, 0)}}"));
    Literal triangle = geev(BOTH, matrix("f64[2,2] {{1, 3}, {0, 5}}"));
    assertClose(triangle.element(3), matrix("c128[2,2] {{(1, 0), (0.6, 0)}, {(0, 0), (0.8, 0)}}"));
    assertClose(triangle.element(2), matrix("c128[2,2] {{(0.8, 0), (0, 0)}, {(-0.6, 0), (1, 0)}}"));
    Literal complex = geev(BOTH, matrix("c128[2,2] {{(1, 0), (0, 3)}, {(0, 0), (5, 0)}}"));
    assertClose(complex.element(0), matrix("c128[2] {(1, 0), (5, 0)}"));
    assertClose(complex.element(2), matrix("c128[2,2] {{(1, 0), (0, 0.6)}, {(0, 0), (0.8, 0)}}"));
  }

  @Test
  void signsAreThoseOfLapack() {
    Literal result = geev(BOTH, matrix("f64[2,2] {{3, -2}, {4, -1}}"));
    double a = 1 / Math.sqrt(6);
    assertThat(result.element(2).realAt(2)).isWithin(1e-12).of(-a);
    assertThat(result.element(2).imaginaryAt(2)).isWithin(1e-12).of(-a);
    assertThat(result.element(2).realAt(0)).isWithin(1e-12).of(2 * a);
    assertThat(result.element(3).realAt(0)).isWithin(1e-12).of(a);
    assertThat(result.element(3).imaginaryAt(0)).isWithin(1e-12).of(a);
  }

  @Test
  void vectorsBesideAPairAreSolvedForByItsTwoRows() {
    // (0 4) (-1 0) x = -(1, 1) has no first pivot
    Literal result = geev(BOTH, matrix("f64[3,3] {{0, 4, 1}, {-1, 0, 1}, {0, 0, 0}}"));
    double length = Math.sqrt(33);
    assertThat(result.element(3).realAt(2)).isWithin(1e-12).of(4 / length);
    assertThat(result.element(3).realAt(5)).isWithin(1e-12).of(-1 / length);
    assertThat(result.element(3).realAt(8)).isWithin(1e-12).of(4 / length);
  }

  @Test
  void noVectorOverflows() {
    Literal result =
        geev(BOTH, matrix("f64[4,4] {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0}}"));
    for (int i = 0; i < 16; i++) {
      int want = i >= 4 ? 0 : i % 2 == 0 ? 1 : -1;
      assertThat(result.element(3).realAt(i)).isWithin(1e-12).of(want);
    }
  }

  @Test
  void vectorsOfDefectiveMatricesAreNearlyTheSame() {
    Literal result = geev(BOTH, matrix("f64[3,3] {{2, 1, 0}, {0, 2, 1}, {0, 0, 2}}"));
    assertClose(
        result.element(3),
        matrix(
            "c128[3,3] {{(1, 0), (-1, 0), (1, 0)}, {(0, 0), (0, 0), (0, 0)},"
                + " {(0, 0), (0, 0), (0, 0)}}"));
    assertThat(result.element(3).realAt(4)).isWithin(1e-20).of(2 * 0x1p-52);
    assertThat(result.element(4).toString()).isEqualTo("s32[] 0");
  }

  private static Literal asComplex(Literal real, Literal imaginary) {
    ElementType type = real.elementType() == F64 ? C128 : ElementType.C64;
    LiteralBuilder result = new LiteralBuilder(real.arrayShape().withElementType(type));
    for (int i = 0; i < real.elementCount(); i++) {
      result.setComplex(i, real.doubleAt(i), imaginary.doubleAt(i));
    }
    return result.build();
  }

  private static Literal columnsTimes(Literal vectors, Literal values, boolean areConjugated) {
    LiteralBuilder result = new LiteralBuilder(vectors.arrayShape());
    int n = values.elementCount();
    for (int i = 0; i < n * n; i++) {
      double re = values.realAt(i % n);
      double im = areConjugated ? -values.imaginaryAt(i % n) : values.imaginaryAt(i % n);
      double x = vectors.realAt(i);
      double y = vectors.imaginaryAt(i);
      result.setComplex(i, x * re - y * im, x * im + y * re);
    }
    return result.build();
  }

  @ParameterizedTest
  @CsvSource({"F64, 1", "F64, 2", "F64, 3", "F64, 9", "F64, 40", "C128, 1", "C128, 2", "C128, 30"})
  void vectorsTimesTheMatrixAreTimesTheirValues(ElementType type, int n) {
    assertVectors(random(type, n, n));
  }

  @Test
  void rowsAndColumnsThatAreAloneGetTheirVectorsBack() {
    assertVectors(SHUFFLED);
    assertVectors(
        matrix(
            "f64[5,5] {{3, 0, 0, 1, 2}, {5, 1, 2, 4, 7}, {2, 0, 4, 6, 8}, {0, 0, 0, 8, 0},"
                + " {0, 0, 0, 9, 2}}"));
    assertVectors(matrix("f64[4,4] {{1, 0, 0, 0}, {5, 2, 0, 0}, {7, 3, 3, 0}, {0, 4, 9, 4}}"));
    Literal result = gees("d", "f64[5], f64[5]", SHUFFLED);
    Literal vectors = result.element(1);
    assertClose(multiply(multiply(vectors, result.element(0)), adjoint(vectors)), SHUFFLED);
  }

  private static void assertVectors(Literal a) {
    ElementType type = a.elementType();
    int n = (int) a.arrayShape().size(0);
    Literal zeros = Literal.zeros(Shape.of(F64, n, n));
    Literal matrix = type.isComplex() ? a : asComplex(a, zeros);
    Literal result = geev(BOTH, a);
    int first = type.isComplex() ? 1 : 2;
    Literal values =
        type.isComplex() ? result.element(0) : asComplex(result.element(0), result.element(1));
    Literal left = result.element(first);
    Literal right = result.element(first + 1);
    assertClose(multiply(matrix, right), columnsTimes(right, values, false));
    assertClose(multiply(adjoint(matrix), left), columnsTimes(left, values, true));
    for (int j = 0; j < n; j++) {
      double squares = 0;
      for (int i = j; i < n * n; i += n) {
        squares += Math.pow(right.realAt(i), 2) + Math.pow(right.imaginaryAt(i), 2);
      }
      assertThat(squares).isWithin(1e-12).of(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"F64, 1", "F64, 2", "F64, 9", "F64, 40", "C128, 1", "C128, 2", "C128, 30"})
  void schurForm(ElementType type, int n) {
    Literal a = random(type, n, n);
    String values = type.isComplex() ? "c128[" + n + "]" : "f64[" + n + "], f64[" + n + "]";
    Literal result = gees(type.isComplex() ? "z" : "d", values, a);
    Literal form = result.element(0);
    Literal vectors = result.element(1);
    assertClose(multiply(adjoint(vectors), vectors), identity(type, n));
    assertClose(multiply(multiply(vectors, form), adjoint(vectors)), a);
    int below = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) {
        boolean isPair = i == j + 1 && !type.isComplex();
        below += size(form, i * n + j) == 0 ? 0 : isPair ? 1 : n;
      }
    }
    assertThat(below).isAtMost(n / 2);
  }

  private static double size(Literal a, int i) {
    return a.elementType().isComplex()
        ? Math.hypot(a.realAt(i), a.imaginaryAt(i))
        : Math.abs(a.doubleAt(i));
  }

  @Test
  void schurFormOfAPairHasTheSameElementTwiceOnItsDiagonal() {
    assertThat(gees("d", "f64[2], f64[2]", matrix("f64[2,2] {{0, 2}, {-1, 0}}")).toString())
        .isEqualTo(
            "(f64[2,2], f64[2,2], f64[2], f64[2], s32[], /*index=5*/s32[]) ( { { 0, 2 }, { -1, 0 }"
                + " }, { { 1, 0 }, { 0, 1 } }, {0, 0}, {1.4142135623730951, -1.4142135623730951},"
                + " 0, 0 )");
    Literal turned = gees("d", "f64[2], f64[2]", matrix("f64[2,2] {{3, -2}, {4, -1}}"));
    assertClose(turned.element(2), matrix("f64[2] {1, 1}"));
    assertClose(turned.element(3), matrix("f64[2] {2, -2}"));
    assertThat(turned.element(0).doubleAt(0)).isEqualTo(turned.element(0).doubleAt(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"nan", "inf", "-inf"})
  void whatIsNotFiniteHasNoEigenvalues(String element) {
    Literal a = matrix("f64[2,2] {{1, 2}, {" + element + ", 4}}");
    Literal result = geev(BOTH, a);
    assertThat(result.element(0).toString()).isEqualTo("f64[2] {nan, nan}");
    assertThat(result.element(4).toString()).isEqualTo("s32[] -4");
    Literal form = gees("d", "f64[2], f64[2]", a);
    assertThat(form.element(0).toString()).isEqualTo("f64[2,2] { { nan, nan }, { nan, nan } }");
    assertThat(form.element(5).toString()).isEqualTo("s32[] 0");
  }

  @Test
  void batchesAndEmptyMatrices() {
    Literal two = matrix("f32[2,2,2] {{{1, 0}, {0, 2}}, {{nan, 0}, {0, 2}}}");
    assertThat(geev(NEITHER, two).toString())
        .isEqualTo(
            "(f32[2,2], f32[2,2], c64[2,2,2], c64[2,2,2], s32[2]) ( { { 1, 2 }, { nan, nan } },"
                + " { { 0, 0 }, { nan, nan } }, "
                + "{ { { (0, 0), (0, 0) }, { (0, 0), (0, 0) } },"
                + " { { (nan, nan), (nan, nan) }, { (nan, nan), (nan, nan) } } }, "
                + "{ { { (0, 0), (0, 0) }, { (0, 0), (0, 0) } },"
                + " { { (nan, nan), (nan, nan) }, { (nan, nan), (nan, nan) } } }, {0, -4} )");
    assertThat(geev(BOTH, Literal.zeros(Shape.of(F64, 0, 0))).element(4).toString())
        .isEqualTo("s32[] 0");
    assertThat(geev(BOTH, Literal.zeros(Shape.of(C128, 0, 3, 3))).element(3).toString())
        .isEqualTo("s32[0] {}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e-300", "1e300", "5e-324"})
  void sizesNearTheLimits(String size) {
    double unit = Double.parseDouble(size);
    Literal a = Literal.of(new double[][] {{0, unit}, {unit, 0}});
    Literal result = geev(BOTH, a);
    assertThat(result.element(0).doubleAt(0) / unit).isWithin(1e-12).of(1);
    assertThat(result.element(0).doubleAt(1) / unit).isWithin(1e-12).of(-1);
    assertThat(result.element(3).realAt(0)).isWithin(1e-12).of(Math.sqrt(0.5));
  }

  @Test
  void whatCannotBeTakenIsRefused() {
    String square = "f64[2,2], f64[2], f64[2], s32[], s32[]";
    assertRefused(
        "custom-call: r: sort in backend_config got S, want one of N as ui8",
        call(
            "\"lapack_dgees_ffi\", backend_config={sort = 83 : ui8}",
            "(f64[2,2], " + square + ")",
            "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: r: operand got f64[2,3], want square matrices",
        call("\"lapack_dgeev_ffi\"", "(f64[3], f64[3], c128[2,3], c128[2,3], s32[])", "f64[2,3]"),
        Literal.zeros(Shape.of(F64, 2, 3)));
    assertRefused(
        "custom-call: r: result got (f64[2], f64[2]), want (f64[2], f64[2], c128[2,2], c128[2,2],"
            + " s32[])",
        call("\"lapack_dgeev_ffi\"", "(f64[2], f64[2])", "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
    assertRefused(
        "custom-call: r: result got f64[2,2], want (f64[2,2], f64[2,2], f64[2], f64[2], s32[],"
            + " /*index=5*/s32[])",
        call("\"lapack_dgees_ffi\"", "f64[2,2]", "f64[2,2]"),
        Literal.zeros(Shape.of(F64, 2, 2)));
  }
}
