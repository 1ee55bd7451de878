package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Array;
import java.util.Random;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RowSumsTest {
  /** The last 16 lanes are added to the first 16, the last 8 of those to the first 8, and so on. */
  @Test
  void upperHalvesAreAddedToLowerHalves() {
    float[] sums = new float[2 * Gemv.LANES];
    sums[0] = 1e8f;
    sums[16] = -1e8f;
    sums[1] = 1;
    sums[32] = 1e8f;
    sums[33] = 1;
    sums[34] = -1e8f;
    float[] to = new float[3];
    GemmArithmetic.of(AccumulatorType.F32).horizontalSums(sums, 0, Gemv.LANES, 2, to, 1);
    assertThat(to).usingExactEquality().containsExactly(0f, 1f, 1f).inOrder();
  }

  @ParameterizedTest
  @CsvSource({
    "F32, 2", "F32, 4", "F32, 8", "F32, 16", "F64, 2", "F64, 4", "F64, 8", "I32, 4", "I64, 2"
  })
  void vectorCodeGivesTheBitsOfLoops(AccumulatorType accumulatorType, int lanes) {
    int count = 3 * lanes;
    Object got = MatrixCopies.of(accumulatorType).allocate(count + 1);
    Object want = MatrixCopies.of(accumulatorType).allocate(count + 1);
    Object sums = random(accumulatorType, count);
    assumeTrue(Machine.isVectorApiOn(), "needs the Vector API");
    RowSumsShape shape = new RowSumsShape(accumulatorType, lanes, false);
    shape.generate().run(sums, 2, Gemv.LANES, sums, 0, 0, got, 1, 3, shape.order());
    GemmArithmetic.of(accumulatorType)
        .horizontalSums(random(accumulatorType, count), 2, Gemv.LANES, count, want, 1); // in place
    assertThat(got).isEqualTo(want);
  }

  private static Object random(AccumulatorType accumulatorType, int count) {
    Object sums = MatrixCopies.of(accumulatorType).allocate(2 + count * Gemv.LANES);
    Random random = new Random(count);
    for (int i = 2; i < Array.getLength(sums); i++) {
      setRandom(sums, i, random);
    }
    return sums;
  }

  private static void setRandom(Object array, int at, Random random) {
    switch (array) {
      case float[] floats -> floats[at] = random.nextFloat();
      case double[] doubles -> doubles[at] = random.nextDouble();
      default -> Array.setInt(array, at, random.nextInt());
    }
  }
}
