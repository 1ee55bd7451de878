package org.hlo4j.interpreter.linalg;

import com.google.common.collect.ImmutableList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.ejml.simple.SimpleMatrix;
import org.hlo4j.builder.lib.linalg.LuDecomposition;
import org.hlo4j.builder.lib.linalg.Qr;
import org.hlo4j.builder.lib.linalg.SelfAdjointEig;
import org.hlo4j.builder.lib.linalg.Svd;
import org.hlo4j.hlo.Literal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The decompositions that the client library emits in HLO, on matrices of extreme numbers. */
final class LibraryLinearAlgebraTest {
  private static final ImmutableList<String> EXTREMES =
      ImmutableList.of("subnormal", "smallest", "falling rows", "all scales");

  private final Residuals residuals = new Residuals();

  @AfterEach
  void residualsAreSmall() {
    residuals.assertSmall();
  }

  @ParameterizedTest
  @EnumSource
  void extremes(MatrixCase.Type type) {
    for (String kind : EXTREMES) {
      residuals.on(kind, 4, 3, type, List.of(this::qr));
      if (type == MatrixCase.Type.S || type == MatrixCase.Type.Z) {
        residuals.on(kind, 5, 5, type, List.of(this::svd, this::eigh));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void allKinds(MatrixCase.Type type) {
    for (int n :
        IntStream.of(1, 2, 3, 5, 8, 18, 24).filter(n -> n <= Residuals.MOST_ROWS).toArray()) {
      for (String kind : MatrixKinds.FINITE) {
        residuals.on(kind, n, n, type, List.of(this::eigh));
        residuals.on(kind, n, n, type, List.of(this::qr, this::svd, this::lu));
        residuals.on(kind, n + 3, n, type, List.of(this::qr, this::svd, this::lu));
      }
    }
  }

  private void qr(MatrixCase c) {
    List<Literal> qr =
        c.library(
            "qr",
            a -> {
              Qr.Explicit explicit = Qr.qrExplicit(a, true);
              return List.of(explicit.q(), explicit.r());
            });
    residuals.orthonormal(c, "lib qr q*q", MatrixCase.matrix(qr.get(0)));
    residuals.near(c, "lib qr", MatrixCase.matrix(qr.get(0)).mult(c.scaled(qr.get(1))), c.matrix());
  }

  private void svd(MatrixCase c) {
    List<Literal> svd =
        c.library(
            "svd",
            a -> {
              Svd.Result result = Svd.svd(a);
              return List.of(result.u(), result.d(), result.v(), result.converged());
            });
    residuals.equal(c, "lib svd converged", svd.get(3).booleanAt(0) ? 1 : 0, 1);
    SimpleMatrix v = MatrixCase.matrix(svd.get(2)).transpose();
    residuals.singular(
        c, "lib svd", MatrixCase.matrix(svd.get(0)), svd.get(1), v, c.rows(), c.columns());
  }

  private void lu(MatrixCase c) {
    List<Literal> lu =
        c.library(
            "lu",
            a -> {
              LuDecomposition.Result result = LuDecomposition.luDecomposition(a);
              return List.of(result.lu(), result.permutation());
            });
    int[] rows = new int[c.rows()];
    Arrays.setAll(rows, i -> (int) lu.get(1).longAt(i));
    residuals.factors(c, "lib lu", lu.get(0), rows);
  }

  private void eigh(MatrixCase given) {
    MatrixCase c = given.withSelfAdjoint();
    List<Literal> eigh =
        c.library(
            "eigh",
            a -> {
              SelfAdjointEig.Result result = SelfAdjointEig.selfAdjointEig(a);
              return List.of(result.v(), result.w(), result.converged());
            });
    residuals.equal(c, "lib eigh converged", eigh.get(2).booleanAt(0) ? 1 : 0, 1);
    residuals.eigenvectors(c, "lib eigh", eigh.get(0), eigh.get(1));
  }
}
