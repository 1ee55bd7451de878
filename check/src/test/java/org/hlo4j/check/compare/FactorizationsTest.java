package org.hlo4j.check.compare;

import static com.google.common.truth.Truth.assertThat;

import org.hlo4j.check.Program;
import org.hlo4j.check.compare.Comparison.Interval;
import org.hlo4j.check.compare.Comparison.Output;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.text.Parser;
import org.hlo4j.interpreter.EvaluatorOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Factorizations by backward error, and the signs of their vectors, one group at a time. */
final class FactorizationsTest {
  private static final String CALL =
      " custom-call(x), custom_call_target=\"lapack_%s_ffi\", api_version=API_VERSION_TYPED_FFI, "
          + "backend_config={%s}";

  private static String verdict(
      String argument, String body, String got, ToleranceProfile profile) {
    return compared(argument, body, got, profile).verdict().toString();
  }

  private static Comparison compared(
      String argument, String body, String got, ToleranceProfile profile) {
    Literal given = Parser.parseLiteral(argument);
    HloModule module =
        Parser.parse("HloModule m ENTRY e { x = " + given.shape() + " parameter(0) " + body + " }");
    Literal result = Parser.parseLiteral(module.entry().root().shape() + " " + got);
    return Comparison.of(Program.of(module, given), result, profile, EvaluatorOptions.defaults());
  }

  /**
   * The argument, a program and its result under test: the factors of {@code L = (1, 0; 0.5, 1)}
   * and {@code U = (2e6, 1e6; 0, 1e6)}, of the rotation by 3 and 4, and of a Cholesky factor with
   * columns of two scales; each with its last bits, and with a small part off.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,2] {{2e6, 1e6}, {1e6, 1.5e6}} | c = (f32[2,2], s32[2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | sgetrf |                     | {{2e6, 1e6}, {0.50000006, 1e6}} | rounded
          f32[2,2] {{2e6, 1e6}, {1e6, 1.5e6}} | c = (f32[2,2], s32[2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | sgetrf |                     | {{2e6, 1e6}, {0.5, 1000000.1}} | rounded
          f32[2,2] {{2e6, 1e6}, {1e6, 1.5e6}} | c = (f32[2,2], s32[2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | sgetrf |                     | {{2e6, 1e6}, {0.5001, 1e6}} | wrong
          f32[2,2] {{2e6, 1e6}, {1e6, 1.5e6}} | c = (f32[2,2], s32[2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | sgetrf |                     | {{2e6, 1e6}, {0, 1e6}} | wrong
          f32[2,2] {{3e6, 0}, {4e6, 1e6}} | c = (f32[2,2], f32[2])%s ROOT r = f32[2] get-tuple-element(c), index=1 | sgeqrf |                     | {1.6000001, 0} | rounded
          f32[2,2] {{3e6, 0}, {4e6, 1e6}} | c = (f32[2,2], f32[2])%s ROOT r = f32[2] get-tuple-element(c), index=1 | sgeqrf |                     | {1.7, 0} | wrong
          f32[2,2] {{1e12, 1e6}, {1e6, 2}} | c = (f32[2,2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | spotrf | uplo = 76 : ui8     | {{1e6, 1e6}, {1, 1.0000001}} | rounded
          f32[2,2] {{1e12, 1e6}, {1e6, 2}} | c = (f32[2,2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | spotrf | uplo = 76 : ui8     | {{1e6, 1e6}, {1.001, 1}} | wrong
          f32[2,2] {{1e12, 1e6}, {1e6, 2}} | c = (f32[2,2], s32[])%s ROOT r = f32[2,2] get-tuple-element(c), index=0 | spotrf | uplo = 76 : ui8     | {{1e6, 1e6}, {1, 0}} | wrong
          """)
  void factors(
      String argument, String body, String routine, String config, String got, String verdict) {
    String options = config == null ? "" : config;
    assertThat(
            verdict(
                argument,
                body.formatted(CALL.formatted(routine, options)),
                got,
                new ToleranceProfile.Native()))
        .isEqualTo(verdict);
  }

  /**
   * The argument, the shapes of a decomposition, what is made of it, and a result under test. A
   * vector may have another sign, or phase, but not alone: the product with its partner stays.
   * Those of one value may be another orthonormal basis of its space. Eigenvalues that nothing
   * sorts may be in another order, with their vectors, or as the Schur form of that order.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,2] {{1, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{-1, 0}, {0, 1}} | unspecified
          f32[2,2] {{1, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{-0.5, 0}, {0, 1}} | wrong
          f32[2,2] {{1, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0, 0}, {0, 0}} | wrong
          f32[2,2] {{1, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | v = f32[2,2] get-tuple-element(c), index=0 ROOT p = f32[2,2] dot(v, v), lhs_contracting_dims={1}, rhs_contracting_dims={1} | {{-1, 0}, {0, 1}} | wrong
          f32[2,2] {{2, 1}, {1, 2}} | (f32[2,2], f32[2], f32[2,2], f32[2,2], s32[]) | sgesdd | mode = 83 : ui8 | u = f32[2,2] get-tuple-element(c), index=2 v = f32[2,2] get-tuple-element(c), index=3 ROOT p = f32[2,2] dot(u, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} | {{1, 0}, {0, 1}} | rounded
          f32[2,2] {{2, 1}, {1, 2}} | (f32[2,2], f32[2], f32[2,2], f32[2,2], s32[]) | sgesdd | mode = 83 : ui8 | u = f32[2,2] get-tuple-element(c), index=2 v = f32[2,2] get-tuple-element(c), index=3 ROOT p = f32[2,2] dot(u, v), lhs_contracting_dims={1}, rhs_contracting_dims={0} | {{-1, 0}, {0, 1}} | wrong
          f32[1,3] {{0, 0, 2}} | (f32[1,3], f32[1], f32[1,1], f32[3,3], s32[]) | sgesdd | mode = 65 : ui8 | ROOT v = f32[3,3] get-tuple-element(c), index=3 | {{0, 0, 1}, {0.6, 0.8, 0}, {0.8, -0.6, 0}} | unspecified
          f32[1,3] {{0, 0, 2}} | (f32[1,3], f32[1], f32[1,1], f32[3,3], s32[]) | sgesdd | mode = 65 : ui8 | ROOT v = f32[3,3] get-tuple-element(c), index=3 | {{0, 0.1, 1}, {0, 1, 0}, {1, 0, 0}} | wrong
          c64[2,2] {{(1, 0), (0, 1)}, {(0, -1), (3, 0)}} | (c64[2,2], f32[2], s32[]) | cheevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = c64[2,2] get-tuple-element(c), index=0 | {{(0.92387953, 0), (0, 0.38268343)}, {(0, 0.38268343), (0.92387953, 0)}} | unspecified
          c64[2,2] {{(1, 0), (0, 1)}, {(0, -1), (3, 0)}} | (c64[2,2], f32[2], s32[]) | cheevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = c64[2,2] get-tuple-element(c), index=0 | {{(0.92387953, 0), (0, 0.38268343)}, {(0, -0.38268343), (0.92387953, 0)}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0.6, -0.8}, {0.8, 0.6}} | unspecified
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0, 1}, {1, 0}} | unspecified
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0.6, 0}, {0.8, 0}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0, 0}, {0.8, 0.6}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0.5, 0}, {0, 0.5}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{1, 1}, {0, 0}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{0, 0}, {0, 0}} | wrong
          f32[3,3] {{1, 0, 0}, {0, 1, 0}, {0, 0, 5}} | (f32[3,3], f32[3], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[3,3] get-tuple-element(c), index=0 | {{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}} | unspecified
          f32[3,3] {{1, 0, 0}, {0, 1, 0}, {0, 0, 5}} | (f32[3,3], f32[3], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[3,3] get-tuple-element(c), index=0 | {{1, 0, 0}, {0, 0.6, -0.8}, {0, 0.8, 0.6}} | wrong
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], f32[2,2], f32[2,2], s32[]) | sgesdd | mode = 83 : ui8 | u = f32[2,2] get-tuple-element(c), index=2 v = f32[2,2] get-tuple-element(c), index=3 a = f32[1,2,2] reshape(u) b = f32[1,2,2] reshape(v) ROOT p = f32[2,2,2] concatenate(a, b), dimensions={0} | {{{0.6, -0.8}, {0.8, 0.6}}, {{0.6, 0.8}, {-0.8, 0.6}}} | unspecified
          f32[2,2] {{2, 0}, {0, 2}} | (f32[2,2], f32[2], f32[2,2], f32[2,2], s32[]) | sgesdd | mode = 83 : ui8 | u = f32[2,2] get-tuple-element(c), index=2 v = f32[2,2] get-tuple-element(c), index=3 a = f32[1,2,2] reshape(u) b = f32[1,2,2] reshape(v) ROOT p = f32[2,2,2] concatenate(a, b), dimensions={0} | {{{0.6, -0.8}, {0.8, 0.6}}, {{1, 0}, {0, 1}}} | wrong
          f32[1,3] {{0, 0, 2}} | (f32[1,3], f32[1], f32[1,1], f32[3,3], s32[]) | sgesdd | mode = 65 : ui8 | ROOT v = f32[3,3] get-tuple-element(c), index=3 | {{0, 0, 1}, {0.6, 0.8, 0}, {0.6, 0.8, 0}} | wrong
          c64[2,2] {{(2, 0), (0, 0)}, {(0, 0), (2, 0)}} | (c64[2,2], f32[2], s32[]) | cheevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = c64[2,2] get-tuple-element(c), index=0 | {{(0.6, 0), (0, 0.8)}, {(0, 0.8), (0.6, 0)}} | unspecified
          c64[2,2] {{(2, 0), (0, 0)}, {(0, 0), (2, 0)}} | (c64[2,2], f32[2], s32[]) | cheevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = c64[2,2] get-tuple-element(c), index=0 | {{(0.6, 0), (0, 0.8)}, {(0, 0.8), (0, 0.6)}} | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | ROOT w = f64[2] get-tuple-element(c), index=0 | {2, 1} | same
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | ROOT w = f64[2] get-tuple-element(c), index=0 | {1, 2} | unspecified
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | ROOT w = f64[2] get-tuple-element(c), index=0 | {1, 1} | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | ROOT w = f64[2] get-tuple-element(c), index=0 | {1, 2.02} | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | w = f64[2] get-tuple-element(c), index=0 v = c128[2,2] get-tuple-element(c), index=3 ROOT t = (f64[2], c128[2,2]) tuple(w, v) | ({1, 2}, {{(0.7071067811865476, 0), (-1, 0)}, {(-0.7071067811865476, 0), (0, 0)}}) | unspecified
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | w = f64[2] get-tuple-element(c), index=0 v = c128[2,2] get-tuple-element(c), index=3 ROOT t = (f64[2], c128[2,2]) tuple(w, v) | ({1, 2}, {{(1, 0), (0.7071067811865476, 0)}, {(0, 0), (-0.7071067811865476, 0)}}) | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{1, 1}, {0, 2}}, {{0.7071067811865476, 0.7071067811865476}, {-0.7071067811865476, 0.7071067811865476}}) | unspecified
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{1, 1.01}, {0, 2}}, {{0.7071067811865476, 0.7071067811865476}, {-0.7071067811865476, 0.7071067811865476}}) | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{1, 1}, {0, 2}}, {{0.7071067811865476, 0}, {-0.7071067811865476, 0}}) | wrong
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{1, 0}, {0, 2}}, {{1, 0}, {0, 1}}) | wrong
          """)
  void vectors(
      String argument,
      String shape,
      String routine,
      String config,
      String made,
      String got,
      String verdict) {
    String body = "c = " + shape + CALL.formatted(routine, config) + " " + made;
    assertThat(verdict(argument, body, got, new ToleranceProfile.Native())).isEqualTo(verdict);
    boolean isOpen = verdict.equals("unspecified") && routine.startsWith("s");
    if (isOpen || verdict.equals("wrong")) {
      assertThat(verdict(argument, body, got, new ToleranceProfile.Compiled())).isEqualTo(verdict);
    }
  }

  /** The row that leaves a result open. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          f32[2,2] {{1, 0}, {0, 2}} | (f32[2,2], f32[2], s32[]) | ssyevd | mode = 86 : ui8, uplo = 76 : ui8 | ROOT v = f32[2,2] get-tuple-element(c), index=0 | {{-1, 0}, {0, 1}} | vector signs
          f32[1,3] {{0, 0, 2}} | (f32[1,3], f32[1], f32[1,1], f32[3,3], s32[]) | sgesdd | mode = 65 : ui8 | v = f32[3,3] get-tuple-element(c), index=3 ROOT a = f32[3,3] abs(v) | {{0, 0, 1}, {0.6, 0.8, 0}, {0.8, 0.6, 0}} | vector basis
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2], f64[2], c128[2,2], c128[2,2], s32[]) | dgeev | compute_left = 78 : ui8, compute_right = 86 : ui8 | ROOT w = f64[2] get-tuple-element(c), index=0 | {1, 2} | eigenvalue order
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{1, 1}, {0, 2}}, {{0.7071067811865476, 0.7071067811865476}, {-0.7071067811865476, 0.7071067811865476}}) | eigenvalue order
          f64[2,2] {{2, 1}, {0, 1}} | (f64[2,2], f64[2,2], f64[2], f64[2], s32[], s32[]) | dgees | mode = 86 : ui8, sort = 78 : ui8 | t = f64[2,2] get-tuple-element(c), index=0 q = f64[2,2] get-tuple-element(c), index=1 ROOT p = (f64[2,2], f64[2,2]) tuple(t, q) | ({{2, -1}, {0, 1}}, {{1, 0}, {0, -1}}) | vector signs
          """)
  void rows(
      String argument,
      String shape,
      String routine,
      String config,
      String made,
      String got,
      String row) {
    String body = "c = " + shape + CALL.formatted(routine, config) + " " + made;
    Interval interval =
        compared(argument, body, got, new ToleranceProfile.Native())
            .worst()
            .flatMap(Output::first)
            .orElseThrow()
            .interval();
    assertThat(interval.open().orElseThrow().toString()).isEqualTo(row);
  }
}
