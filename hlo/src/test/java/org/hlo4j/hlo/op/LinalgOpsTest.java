package org.hlo4j.hlo.op;

import static com.google.common.truth.Truth.assertThat;
import static org.hlo4j.hlo.ElementType.F32;
import static org.hlo4j.hlo.ElementType.F64;
import static org.hlo4j.hlo.ElementType.S32;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.junit.jupiter.api.Test;

/** The modes of ragged dots, and the presets of dots. */
final class LinalgOpsTest {
  private static void row(Op op, String result, Shape... operands) {
    assertThat(op.infer(operands).toString()).isEqualTo(result);
  }

  private static final Shape LHS = Shape.of(F32, 2, 4, 3);
  private static final Shape SIZES = Shape.of(S32, 6);

  /** The product of [b, m, k] with [b, g, k, n], where g is the number of groups. */
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
  void dotPresets() {
    row(Dot.matmul(), "f32[2,5]", Shape.of(F32, 2, 3), Shape.of(F32, 3, 5));
    row(Dot.batchMatmul(2), "f32[2,5]", Shape.of(F32, 2, 3), Shape.of(F32, 3, 5));
    row(Dot.batchMatmul(4), "f32[7,8,2,5]", Shape.of(F32, 7, 8, 2, 3), Shape.of(F32, 7, 8, 3, 5));
    HloException refusal = assertThrows(HloException.class, () -> Dot.batchMatmul(1));
    assertThat(refusal.summary()).isEqualTo("dot: batchMatmul: rank got 1, want at least 2");
  }
}
