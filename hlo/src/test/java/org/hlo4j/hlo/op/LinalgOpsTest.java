package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.BF16;
import static org.hlo4j.hlo.ElementType.C128;
import static org.hlo4j.hlo.ElementType.C64;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.F8E4M3FN;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Fft.FftType;
import org.junit.jupiter.api.Test;

/** fft, cholesky, triangular-solve, ragged-dot, scaled-dot, and what dots say of themselves. */
final class LinalgOpsTest {
  private static void refused(String label, String message, Op op, Shape... operands) {
    HloException refusal = assertThrows(HloException.class, () -> op.infer(operands));
    assertThat(refusal.summary()).isEqualTo(message);
    assertThat(refusal.label()).isEqualTo(label);
  }

  private static void row(Op op, String result, Shape... operands) {
    assertThat(op.infer(operands).toString()).isEqualTo(result);
  }

  private static Fft fft(FftType type, long... lengths) {
    return new Fft(type, Dims.of(lengths));
  }

  @Test
  void fftShapes() {
    row(fft(FftType.FFT, 3), "c64[2,3]", Shape.of(C64, 2, 3));
    row(fft(FftType.IFFT, 2, 3), "c128[2,3]", Shape.of(C128, 2, 3));
    row(fft(FftType.RFFT, 2, 3), "c64[2,2]", Shape.of(F32, 2, 3));
    row(fft(FftType.RFFT, 4), "c128[2,3]", Shape.of(F64, 2, 4));
    row(fft(FftType.IRFFT, 5), "f32[2,5]", Shape.of(C64, 2, 3));
    row(fft(FftType.IRFFT, 2, 4), "f64[2,4]", Shape.of(C128, 2, 3));
    row(fft(FftType.RFFT, 0), "c64[2,0]", Shape.of(F32, 2, 0));
    row(fft(FftType.IRFFT, 0), "f32[2,0]", Shape.of(C64, 2, 0));
    Shape dynamicRows = Shape.of(F32, 2, 3).withDynamic(List.of(0));
    row(fft(FftType.RFFT, 3), "c64[<=2,2]", dynamicRows);
  }

  @Test
  void fftOfComplexNumbersMayHaveAnyLength() {
    row(fft(FftType.FFT, 4), "c64[2,3]", Shape.of(C64, 2, 3));
    row(fft(FftType.IFFT, 1, 2), "c64[2,<=3]", Shape.of(C64, 2, 3).withDynamic(List.of(1)));
  }

  @Test
  void fftRefusals() {
    Shape x = Shape.of(C64, 2, 3);
    refused("fft C3", "fft: fft_length got (), want 1 to 3", fft(FftType.FFT), x);
    refused(
        "fft C3", "fft: fft_length got (1, 1, 1, 1), want 1 to 3", fft(FftType.FFT, 1, 1, 1, 1), x);
    refused("fft C4", "fft: fft_length got (-1), want each at least 0", fft(FftType.FFT, -1), x);
    refused(
        "fft C1",
        "fft: fft_length got (1, 2, 3), want at most as many as the 2 dimensions of c64[2,3]",
        fft(FftType.FFT, 1, 2, 3),
        x);
    refused(
        "fft C2", "fft: element type got c64, want f32 or f64 for RFFT", fft(FftType.RFFT, 3), x);
    refused(
        "fft C2",
        "fft: element type got f32, want complex for IFFT",
        fft(FftType.IFFT, 3),
        Shape.of(F32, 3));
    refused(
        "fft C4",
        "fft: size of dimension 0 of f32[2,3] got 2, want 4 for fft_length (4, 3) of RFFT",
        fft(FftType.RFFT, 4, 3),
        Shape.of(F32, 2, 3));
    refused(
        "fft C5",
        "fft: size of dimension 1 of c64[2,3] got 3, want 4 for fft_length (6) of IRFFT",
        fft(FftType.IRFFT, 6),
        x);
    refused(
        "fft C4",
        "fft: size of dimension 1 of f32[2,<=3] got <=3, want 3 for fft_length (3) of RFFT",
        fft(FftType.RFFT, 3),
        Shape.of(F32, 2, 3).withDynamic(List.of(1)));
  }

  @Test
  void cholesky() {
    row(new Cholesky(true), "f32[5,3,3]", Shape.of(F32, 5, 3, 3));
    row(new Cholesky(false), "c128[0,0]", Shape.of(C128, 0, 0));
    refused(
        "",
        "cholesky: element type got s32, want float or complex",
        new Cholesky(true),
        Shape.of(S32, 3, 3));
    refused(
        "cholesky C2",
        "cholesky: a got f32[3], want rank 2 at least",
        new Cholesky(true),
        Shape.of(F32, 3));
    refused(
        "cholesky C3",
        "cholesky: a got f32[5,3,4], want the last two sizes equal",
        new Cholesky(true),
        Shape.of(F32, 5, 3, 4));
  }

  @Test
  void triangularSolve() {
    Shape a = Shape.of(F32, 5, 3, 3);
    row(TriangularSolve.left(true), "f32[5,3,2]", a, Shape.of(F32, 5, 3, 2));
    row(TriangularSolve.right(false), "f32[5,2,3]", a, Shape.of(F32, 5, 2, 3));
    row(TriangularSolve.left(false), "c64[3,0]", Shape.of(C64, 3, 3), Shape.of(C64, 3, 0));
  }

  @Test
  void triangularSolveRefusals() {
    Op left = TriangularSolve.left(true);
    Shape a = Shape.of(F32, 5, 3, 3);
    refused(
        "",
        "triangular-solve: element type got s32, want float or complex",
        left,
        Shape.of(S32, 3, 3),
        Shape.of(S32, 3, 3));
    refused(
        "triangular_solve C1",
        "triangular-solve: element types of a and b got f32 and f64, want the same",
        left,
        a,
        Shape.of(F64, 5, 3, 2));
    refused(
        "triangular_solve C2",
        "triangular-solve: a got f32[3], want rank 2 at least",
        left,
        Shape.of(F32, 3),
        Shape.of(F32, 3));
    refused(
        "triangular_solve C2",
        "triangular-solve: ranks of a f32[5,3,3] and b f32[3,2] got 3 and 2, want the same",
        left,
        a,
        Shape.of(F32, 3, 2));
    refused(
        "triangular_solve C3",
        "triangular-solve: a got f32[3,4], want the last two sizes equal",
        left,
        Shape.of(F32, 3, 4),
        Shape.of(F32, 3, 2));
    refused(
        "triangular_solve C3",
        "triangular-solve: batch: size of dimension 0 of b f32[4,3,2] got 4, want 5 as of a"
            + " f32[5,3,3]",
        left,
        a,
        Shape.of(F32, 4, 3, 2));
    refused(
        "triangular_solve C3",
        "triangular-solve: left_side: size of dimension 1 of b f32[5,2,3] got 2, want 3 as of a"
            + " f32[5,3,3]",
        left,
        a,
        Shape.of(F32, 5, 2, 3));
    refused(
        "triangular_solve C3",
        "triangular-solve: right side: size of dimension 2 of b f32[5,3,2] got 2, want 3 as of a"
            + " f32[5,3,3]",
        TriangularSolve.right(true),
        a,
        Shape.of(F32, 5, 3, 2));
  }

  private static final Shape LHS = Shape.of(F32, 2, 4, 3);
  private static final Shape SIZES = Shape.of(S32, 6);

  /** [b, m, k] with [b, g, k, n] */
  private static final Dot WITH_GROUPS =
      Dot.general(Dims.of(0), Dims.of(2), Dims.of(0), Dims.of(2));

  @Test
  void raggedDot() {
    Shape rhs = Shape.of(F32, 2, 3, 5);
    Shape rhsOfGroups = Shape.of(F32, 2, 6, 3, 5);
    RaggedDot free = RaggedDot.of(WITH_GROUPS, 1, 1);
    assertThat(free.mode()).isEqualTo(RaggedDot.Mode.FREE);
    row(free, "f32[2,4,5]", LHS, rhsOfGroups, SIZES);
    row(free, "f32[2,4,5]", LHS, rhsOfGroups, Shape.of(S32, 2, 6));
    RaggedDot contracting = RaggedDot.of(Dot.batchMatmul(3), 2);
    assertThat(contracting.mode()).isEqualTo(RaggedDot.Mode.CONTRACTING);
    row(contracting, "f32[6,2,4,5]", LHS, rhs, SIZES);
    row(contracting, "f32[6,2,4,5]", LHS, rhs, Shape.of(S32, 2, 6));
    RaggedDot batch = RaggedDot.of(Dot.batchMatmul(3).withPreferredElementType(F64), 0);
    assertThat(batch.mode()).isEqualTo(RaggedDot.Mode.BATCH);
    row(batch, "f64[2,4,5]", LHS, rhs, SIZES);
  }

  @Test
  void raggedDotRefusals() {
    Shape rhs = Shape.of(F32, 2, 6, 3, 5);
    Dims one = Dims.of(2);
    Dot dot = WITH_GROUPS;
    RaggedDot two =
        new RaggedDot(
            Dims.of(0),
            one,
            Dims.of(0),
            one,
            Dims.of(1, 2),
            Dims.of(1),
            dot.operandPrecision(),
            dot.preferredElementType());
    refused(
        "ragged_dot R1",
        "ragged-dot: lhs_ragged_dims got (1, 2), want exactly one",
        two,
        LHS,
        rhs,
        SIZES);
    refused(
        "ragged_dot R2",
        "ragged-dot: lhs_ragged_dims got (3), want a dimension of lhs f32[2,4,3]",
        RaggedDot.of(dot, 3, 1),
        LHS,
        rhs,
        SIZES);
    for (Shape sizes : List.of(Shape.of(F32, 6), Shape.of(S32))) {
      refused(
          "ragged_dot R3",
          "ragged-dot: group_sizes got " + sizes + ", want integers of rank 1 at least",
          RaggedDot.of(dot, 1, 1),
          LHS,
          rhs,
          sizes);
    }
    refused(
        "ragged_dot R4",
        "ragged-dot: rhs_group_dims got (), want exactly one where the ragged dimension 1 of lhs is"
            + " FREE",
        RaggedDot.of(dot, 1),
        LHS,
        rhs,
        SIZES);
    refused(
        "ragged_dot R4",
        "ragged-dot: rhs_group_dims got (1), want none where the ragged dimension 2 of lhs is"
            + " CONTRACTING",
        RaggedDot.of(dot, 2, 1),
        LHS,
        rhs,
        SIZES);
    for (int group : new int[] {0, 2, 4, -1}) {
      refused(
          "ragged_dot R5",
          "ragged-dot: rhs_group_dims got ("
              + group
              + "), want a dimension of rhs f32[2,6,3,5] neither batch nor contracting",
          RaggedDot.of(dot, 1, group),
          LHS,
          rhs,
          SIZES);
    }
    refused(
        "ragged_dot R6",
        "ragged-dot: group dimension 3 of rhs f32[2,6,3,5] got size 5, want 6 groups as in"
            + " group_sizes s32[6]",
        RaggedDot.of(dot, 1, 3),
        LHS,
        rhs,
        SIZES);
    refused(
        "ragged_dot R7",
        "ragged-dot: group_sizes got s32[3,6], want rank 1, or sizes (2) of dimensions (0) of lhs"
            + " f32[2,4,3] before the last",
        RaggedDot.of(dot, 1, 1),
        LHS,
        rhs,
        Shape.of(S32, 3, 6));
    refused(
        "dot_general C10",
        "ragged-dot: contracting dimension 2 of lhs f32[2,4,3] has size 3, dimension 2 of rhs"
            + " f32[2,6,4,5] has size 4, want equal",
        RaggedDot.of(dot, 1, 1),
        LHS,
        Shape.of(F32, 2, 6, 4, 5),
        SIZES);
  }

  private static final ScaledDot SCALED = ScaledDot.of(Dot.matmul().withPreferredElementType(BF16));
  private static final Shape LEFT = Shape.of(F8E4M3FN, 4, 64);
  private static final Shape RIGHT = Shape.of(F8E4M3FN, 64, 8);

  @Test
  void scaledDot() {
    Shape leftScale = Shape.of(F8E8M0FNU, 4, 2);
    Shape rightScale = Shape.of(F8E8M0FNU, 2, 8);
    row(SCALED, "bf16[4,8]", LEFT, RIGHT, leftScale, rightScale);
    row(SCALED, "bf16[4,8]", LEFT, RIGHT, Shape.of(BF16), rightScale);
    row(SCALED, "bf16[4,8]", LEFT, RIGHT, leftScale, Shape.of(BF16));
  }

  @Test
  void scaledDotRefusals() {
    Shape leftScale = Shape.of(F8E8M0FNU, 4, 2);
    Shape rightScale = Shape.of(F8E8M0FNU, 2, 8);
    Shape scalar = Shape.of(F8E8M0FNU);
    ScaledDot outer = ScaledDot.of(Dot.general(Dims.of(), Dims.of(), Dims.of(), Dims.of()));
    refused(
        "scaled_dot S1",
        "scaled-dot: contracting dimensions got () of lhs and () of rhs, want one each",
        outer,
        LEFT,
        RIGHT,
        leftScale,
        rightScale);
    refused(
        "scaled_dot S2",
        "scaled-dot: got scalars for both scales, want at least one for blocks",
        SCALED,
        LEFT,
        RIGHT,
        scalar,
        scalar);
    refused(
        "scaled_dot S3",
        "scaled-dot: rhs got f8e4m3fn[64,8] and its scale s32[2,8], want floats",
        SCALED,
        LEFT,
        RIGHT,
        leftScale,
        Shape.of(S32, 2, 8));
    refused(
        "scaled_dot S4",
        "scaled-dot: scale of lhs got f8e8m0fnu[4], want the rank 2 of f8e4m3fn[4,64], or a"
            + " scalar",
        SCALED,
        LEFT,
        RIGHT,
        Shape.of(F8E8M0FNU, 4),
        rightScale);
    for (long blocks : new long[] {3, 0}) {
      refused(
          "scaled_dot S5",
          "scaled-dot: scale of lhs f8e4m3fn[4,64] got f8e8m0fnu[4,"
              + blocks
              + "], want each size to divide the operand's; dimension 1 does not",
          SCALED,
          LEFT,
          RIGHT,
          Shape.of(F8E8M0FNU, 4, blocks),
          rightScale);
    }
    Shape dynamic = Shape.of(F8E8M0FNU, 4, 2).withDynamic(List.of(0));
    refused(
        "scaled_dot S5",
        "scaled-dot: lhs got f8e4m3fn[4,64] and its scale f8e8m0fnu[<=4,2], want static sizes",
        SCALED,
        LEFT,
        RIGHT,
        dynamic,
        rightScale);
  }

  @Test
  void dotPresets() {
    row(Dot.matmul(), "f32[2,5]", Shape.of(F32, 2, 3), Shape.of(F32, 3, 5));
    row(Dot.batchMatmul(2), "f32[2,5]", Shape.of(F32, 2, 3), Shape.of(F32, 3, 5));
    row(Dot.batchMatmul(4), "f32[7,8,2,5]", Shape.of(F32, 7, 8, 2, 3), Shape.of(F32, 7, 8, 3, 5));
    HloException refusal = assertThrows(HloException.class, () -> Dot.batchMatmul(1));
    assertThat(refusal.summary()).isEqualTo("dot: batchMatmul: rank got 1, want at least 2");
  }

  @Test
  void dotExplains() {
    assertThat(Dot.batchMatmul(3).explain(Shape.of(F32, 8, 2, 3), Shape.of(F32, 8, 3, 4)))
        .isEqualTo(
            """
            result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
                      b    i    k    j
            lhs     0:8  1:2  2:3        f32[8,2,3]
            rhs     0:8       1:3  2:4   f32[8,3,4]
            result  0:8  1:2       2:4   f32[8,2,4]\
            """);
    Dot dot = Dot.general(Dims.of(), Dims.of(2, 0), Dims.of(), Dims.of(0, 1));
    assertThat(dot.explain(Shape.of(F32, 10, 2, 3), Shape.of(F32, 3, 10)))
        .isEqualTo(
            """
            result[i] = sum over k0, k1 of lhs[k1, i, k0] * rhs[k0, k1]
                      i   k0    k1
            lhs     1:2  2:3  0:10   f32[10,2,3]
            rhs          0:3  1:10   f32[3,10]
            result  0:2              f32[2]\
            """);
    Dot outer = Dot.general(Dims.of(), Dims.of(), Dims.of(), Dims.of());
    assertThat(outer.explain(Shape.of(F32, 2), Shape.of(F32)))
        .isEqualTo(
            """
            result[i] = lhs[i] * rhs[]
                      i
            lhs     0:2   f32[2]
            rhs           f32[]
            result  0:2   f32[2]\
            """);
  }
}
