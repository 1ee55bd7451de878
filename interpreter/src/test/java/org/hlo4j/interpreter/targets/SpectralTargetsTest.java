package org.hlo4j.interpreter.targets;

import static com.google.common.truth.Truth.assertThat;
import static com.google.common.truth.Truth.assertWithMessage;
import static org.hlo4j.interpreter.linalg.StackOfMatrices.assertNear;
import static org.hlo4j.interpreter.linalg.StackOfMatrices.assertOrthonormal;
import static org.hlo4j.interpreter.targets.StandardTargetsTest.call;

import java.util.Arrays;
import java.util.List;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.Interpreter;
import org.hlo4j.interpreter.linalg.StackOfMatrices;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** LAPACK's syevd and gesdd against their definitions, on both evaluators. */
@Tag("thorough")
final class SpectralTargetsTest {
  private static Shape.Array beside(Literal matrices, ElementType type, long... sizes) {
    Dims all = matrices.arrayShape().sizes();
    return Shape.of(type, all.subList(0, all.count() - 2).concat(Dims.of(sizes)));
  }

  private static List<Literal> both(String text, Literal a) {
    HloModule module = Parser.parse("HloModule m\n" + text);
    return List.of(Interpreter.reference().run(module, a), Interpreter.compiled().run(module, a));
  }

  private static void assertSameValues(List<Literal> results, double size) {
    double[] want = results.get(0).element(1).toDoubles();
    double[] got = results.get(1).element(1).toDoubles();
    double bound =
        size * want.length * 8 * StackOfMatrices.epsilon(results.get(0).element(1).elementType());
    assertThat(got).usingTolerance(bound).containsExactly(want).inOrder();
  }

  @Test
  void vectorsBeginWithWhatIsPositive() {
    Literal a = Literal.of(new double[][] {{0, 0, -2}, {0, 5, 0}, {-2, 0, 0}});
    double root = Math.sqrt(0.5);
    String eigen = "(f64[3,3], f64[3], s32[])";
    for (Literal result :
        both(
            call("\"lapack_dsyevd_ffi\", backend_config={uplo = 76 : ui8}", eigen, "f64[3,3]"),
            a)) {
      assertThat(result.element(0).toDoubles())
          .usingTolerance(1e-15)
          .containsExactly(new double[] {root, root, 0, 0, 0, 1, root, -root, 0})
          .inOrder();
    }
    Literal wide = Literal.of(new double[][] {{0, 0, -2}, {0, 5, 0}});
    String singular = "(f64[2,3], f64[2], f64[2,2], f64[3,3], s32[])";
    for (Literal result :
        both(
            call("\"lapack_dgesdd_ffi\", backend_config={mode = 65 : ui8}", singular, "f64[2,3]"),
            wide)) {
      assertThat(result.element(2).toDoubles())
          .usingTolerance(1e-15)
          .containsExactly(new double[] {0, 1, 1, 0})
          .inOrder();
    }
  }

  @Test
  void singularVectorsOfWhatIsNotFiniteAreNot() {
    Literal a = Literal.of(new double[][] {{1, 2}, {3, Double.NaN}, {5, 6}});
    String shape = "(f64[3,2], f64[2], f64[3,3], f64[2,2], s32[])";
    for (Literal result :
        both(
            call("\"lapack_dgesdd_ffi\", backend_config={mode = 65 : ui8}", shape, "f64[3,2]"),
            a)) {
      assertThat(result.element(1).toString()).isEqualTo("f64[2] {nan, nan}");
      assertThat(result.element(2).toDoubles()[0]).isNaN();
      assertThat(result.element(3).toString()).isEqualTo("f64[2,2] { { nan, nan }, { nan, nan } }");
      assertThat(result.element(4).toString()).isEqualTo("s32[] -4");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[1,1] random",
        "f64[2,2] huge",
        "f64[3,3] tiny",
        "f32[4,4] zeros",
        "f64[5,5] identity",
        "f64[17,17] ones",
        "f32[6,6] repeated",
        "f64[7,7] diagonal",
        "f64[9,9] hilbert",
        "f64[60,60] graded",
        "f64[3,8,8] random",
        "f32[2,33,33] random",
        "f64[110,110] random"
      })
  void eigenvectorsDiagonalize(String row) {
    Literal given = StackOfMatrices.matrices(row);
    int n = (int) given.arrayShape().size(given.arrayShape().rank() - 1);
    String shape =
        Shape.tuple(
                given.shape(),
                beside(given, given.elementType(), n),
                beside(given, ElementType.S32))
            .toString();
    String target = "\"lapack_dsyevd_ffi\", backend_config={uplo = 76 : ui8}";
    if (given.elementType() == ElementType.F32) {
      target = target.replace("dsyevd", "ssyevd");
    }
    List<Literal> results = both(call(target, shape, given.shape().toString()), given);
    double greatest = 0;
    for (Literal result : results) {
      List<SimpleMatrix> vectors = StackOfMatrices.of(result.element(0));
      List<SimpleMatrix> values = StackOfMatrices.diagonals(result.element(1), n, n, false);
      for (int k = 0; k < vectors.size(); k++) {
        SimpleMatrix a = ofLower(StackOfMatrices.of(given).get(k));
        SimpleMatrix v = vectors.get(k);
        greatest = Math.max(greatest, a.normF());
        assertOrthonormal(row, v, given.elementType());
        assertNear(row, a.mult(v), v.mult(values.get(k)), a.normF(), given.elementType());
      }
      for (double[] ascending : StackOfMatrices.vectors(result.element(1))) {
        assertThat(ascending).usingExactEquality().containsExactly(sorted(ascending)).inOrder();
      }
    }
    assertSameValues(results, greatest);
  }

  private static double[] sorted(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted;
  }

  private static SimpleMatrix ofLower(SimpleMatrix a) {
    SimpleMatrix symmetric = a.copy();
    for (int i = 0; i < a.getNumRows(); i++) {
      for (int j = 0; j < i; j++) {
        symmetric.set(j, i, a.get(i, j));
      }
    }
    return symmetric;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "f32[1,1] random",
        "f64[1,4] random",
        "f64[4,1] random",
        "f64[4,3] huge",
        "f64[3,4] tiny",
        "f32[4,4] zeros",
        "f64[5,4] identity",
        "f64[17,17] ones",
        "f32[6,6] repeated",
        "f64[5,7] rank 2",
        "f64[7,6] zero column",
        "f64[9,9] hilbert",
        "f64[50,40] graded",
        "f64[3,8,8] random",
        "f32[2,33,20] random",
        "f32[2,9,33] random",
        "f64[70,66] random",
        "f64[110,110] random"
      })
  void singularVectorsDiagonalize(String row) {
    Literal given = StackOfMatrices.matrices(row);
    Shape.Array a = given.arrayShape();
    int m = (int) a.size(a.rank() - 2);
    int n = (int) a.size(a.rank() - 1);
    int least = Math.min(m, n);
    for (char mode : new char[] {'A', 'S', 'N'}) {
      int left = mode == 'S' ? least : m;
      int right = mode == 'S' ? least : n;
      ElementType type = given.elementType();
      String shape =
          Shape.tuple(
                  a,
                  beside(given, type, least),
                  beside(given, type, m, left),
                  beside(given, type, right, n),
                  beside(given, ElementType.S32))
              .toString();
      String name = type == ElementType.F32 ? "sgesdd" : "dgesdd";
      String target =
          "\"lapack_" + name + "_ffi\", backend_config={mode = " + (int) mode + " : ui8}";
      List<Literal> results = both(call(target, shape, a.toString()), given);
      double greatest = 0;
      for (Literal result : results) {
        List<SimpleMatrix> s = StackOfMatrices.diagonals(result.element(1), left, right, false);
        for (int k = 0; k < s.size(); k++) {
          SimpleMatrix matrix = StackOfMatrices.of(given).get(k);
          greatest = Math.max(greatest, matrix.normF());
          if (mode != 'N') {
            SimpleMatrix u = StackOfMatrices.of(result.element(2)).get(k);
            SimpleMatrix v = StackOfMatrices.of(result.element(3)).get(k);
            assertOrthonormal(row, u, type);
            assertOrthonormal(row, v.transpose(), type);
            assertNear(row, u.mult(s.get(k)).mult(v), matrix, matrix.normF(), type);
          }
        }
        for (double[] values : StackOfMatrices.vectors(result.element(1))) {
          for (int i = 1; i < values.length; i++) {
            assertWithMessage("%s, value %s", row, i).that(values[i]).isAtMost(values[i - 1]);
          }
          assertThat(values[values.length - 1]).isAtLeast(0.0);
        }
      }
      assertSameValues(results, greatest);
    }
  }
}
