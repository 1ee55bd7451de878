package org.hlo4j.buildertest;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F8E4M3FN;
import static org.hlo4j.hlo.ElementType.F8E8M0FNU;
import static org.hlo4j.hlo.ElementType.S32;
import static org.hlo4j.hlo.ElementType.U32;
import static org.hlo4j.hlo.ElementType.U64;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.builder.XlaBuilder;
import org.hlo4j.builder.XlaOp;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.Verifier;
import org.hlo4j.hlo.op.Dot;
import org.hlo4j.hlo.op.Dot.Precision;
import org.hlo4j.hlo.op.DotAlgorithm;
import org.hlo4j.hlo.op.Fft.FftType;
import org.hlo4j.hlo.op.RaggedDot;
import org.hlo4j.hlo.op.RngBitGenerator.Algorithm;
import org.hlo4j.hlo.op.ScaledDot;
import org.hlo4j.hlo.op.TriangularSolve;
import org.hlo4j.hlo.op.TriangularSolve.TransposeA;
import org.hlo4j.hlo.text.PrintOptions;
import org.hlo4j.hlo.text.Printer;
import org.junit.jupiter.api.Test;

/** Random and linear algebra ops of the builder, compared as HLO text that XLA also prints. */
final class LinalgTest {
  private final XlaBuilder b = new XlaBuilder("m");

  /** Returns the printed line of the root. */
  private String printed(XlaOp root) {
    var module = b.build(root);
    Verifier.strict().verify(module);
    String text = Printer.print(module, PrintOptions.SHORT);
    return text.substring(text.indexOf("ROOT ") + 5, text.lastIndexOf("\n}"));
  }

  private XlaOp p(int number, ElementType type, long... sizes) {
    return b.parameter(number, Shape.of(type, sizes), "p" + number);
  }

  @Test
  void rng() {
    XlaOp low = p(0, F32);
    assertThat(printed(b.rngUniform(low, p(1, F32), Shape.of(F32, 3))))
        .isEqualTo("rng = f32[3] rng(p0, p1), distribution=rng_uniform");
  }

  @Test
  void rngNormal() {
    XlaOp mu = p(0, F32);
    assertThat(printed(b.rngNormal(mu, p(1, F32), Shape.of(F32, 3))))
        .isEqualTo("rng = f32[3] rng(p0, p1), distribution=rng_normal");
  }

  @Test
  void rngBitGenerator() {
    XlaOp bits = b.rngBitGenerator(Algorithm.RNG_THREE_FRY, p(0, U64, 2), Shape.of(U32, 4));
    assertThat(printed(bits))
        .isEqualTo(
            "rng-bit-generator = (u64[2], u32[4]) rng-bit-generator(p0), algorithm=rng_three_fry");
  }

  @Test
  void rngGetAndUpdateState() {
    assertThat(printed(b.rngGetAndUpdateState(4)))
        .isEqualTo("rng-get-and-update-state = u64[2] rng-get-and-update-state(), delta=4");
  }

  @Test
  void dotWithAlgorithm() {
    Dot dot =
        new Dot(
            Dims.of(),
            Dims.of(1),
            Dims.of(),
            Dims.of(0),
            ImmutableList.of(Precision.HIGHEST, Precision.HIGH),
            Optional.of(DotAlgorithm.DOT_TF32_TF32_F32_X3),
            Optional.empty());
    XlaOp lhs = p(0, F32, 2, 3);
    assertThat(printed(lhs.dotGeneral(p(1, F32, 3, 4), dot)))
        .isEqualTo(
            "dot = f32[2,4] dot(p0, p1), lhs_contracting_dims={1}, rhs_contracting_dims={0},"
                + " operand_precision={highest,high}, algorithm=dot_tf32_tf32_f32_x3");
  }

  @Test
  void raggedDot() {
    XlaOp lhs = p(0, F32, 4, 2);
    XlaOp rhs = p(1, F32, 3, 2, 5);
    RaggedDot op = RaggedDot.of(Dot.general(Dims.of(), Dims.of(1), Dims.of(), Dims.of(1)), 0, 0);
    assertThat(printed(lhs.raggedDot(rhs, p(2, S32, 3), op)))
        .isEqualTo(
            "ragged-dot = f32[4,5] ragged-dot(p0, p1, p2), lhs_contracting_dims={1},"
                + " rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}");
  }

  @Test
  void scaledDot() {
    XlaOp lhs = p(0, F8E4M3FN, 4, 64);
    XlaOp rhs = p(1, F8E4M3FN, 64, 8);
    XlaOp lhsScale = p(2, F8E8M0FNU, 4, 2);
    ScaledDot op = ScaledDot.of(Dot.matmul().withPreferredElementType(F32));
    assertThat(printed(lhs.scaledDot(rhs, lhsScale, p(3, F8E8M0FNU, 2, 8), op)))
        .isEqualTo(
            "scaled-dot = f32[4,8] scaled-dot(p0, p1, p2, p3), lhs_contracting_dims={1},"
                + " rhs_contracting_dims={0}");
  }

  @Test
  void fft() {
    assertThat(printed(p(0, F32, 2, 3, 4).fft(FftType.RFFT, 3, 4)))
        .isEqualTo("fft = c64[2,3,3] fft(p0), fft_type=RFFT, fft_length={3,4}");
  }

  @Test
  void cholesky() {
    assertThat(printed(p(0, F32, 3, 3).cholesky(true)))
        .isEqualTo("cholesky = f32[3,3] cholesky(p0), lower=true");
  }

  @Test
  void upperCholesky() {
    assertThat(printed(p(0, F32, 3, 3).cholesky(false)))
        .isEqualTo("cholesky = f32[3,3] cholesky(p0)");
  }

  @Test
  void triangularSolve() {
    TriangularSolve op =
        TriangularSolve.left(true).withUnitDiagonal().withTransposeA(TransposeA.ADJOINT);
    XlaOp a = p(0, F32, 3, 3);
    assertThat(printed(a.triangularSolve(p(1, F32, 3, 2), op)))
        .isEqualTo(
            "triangular-solve = f32[3,2] triangular-solve(p0, p1), left_side=true, lower=true,"
                + " unit_diagonal=true, transpose_a=ADJOINT");
  }

  @Test
  void stochasticConvert() {
    XlaOp x = p(0, F32, 3);
    assertThat(printed(x.stochasticConvertType(p(1, U32, 3), ElementType.BF16)))
        .isEqualTo("stochastic-convert = bf16[3] stochastic-convert(p0, p1)");
  }

  @Test
  void errorsNameOperandsAndLine() {
    XlaOp a = p(0, F32, 3, 4);
    HloException refusal = assertThrows(HloException.class, () -> a.cholesky(true));
    assertThat(refusal.label()).isEqualTo("cholesky C3");
    assertThat(refusal).hasMessageThat().contains("p0   f32[3,4]   parameter 0");
    assertThat(refusal).hasMessageThat().contains("at LinalgTest.java:");
  }

  @Test
  void operandsFromAnotherBuilderAreRejected() {
    XlaOp foreign = new XlaBuilder("other").parameter(0, Shape.of(F32, 3, 3), "q");
    XlaOp a = p(0, F32, 3, 3);
    HloException refusal =
        assertThrows(
            HloException.class, () -> a.triangularSolve(foreign, TriangularSolve.left(true)));
    assertThat(refusal.summary()).isEqualTo("q got from builder other, want an op of builder m");
    assertThrows(HloException.class, () -> b.rngUniform(foreign, foreign, Shape.of(F32)));
  }
}
