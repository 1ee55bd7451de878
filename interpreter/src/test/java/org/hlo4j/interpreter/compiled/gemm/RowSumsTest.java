package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Random;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RowSumsTest {
  /** The last 16 lanes are added to the first 16, the last 8 of those to the first 8, and so on. */
  @Test
  void upperHalvesAreAddedToLowerHalves() {
    float[] rows = new float[2 * Gemv.LANES];
    rows[0] = 1e8f;
    rows[16] = -1e8f;
    rows[1] = 1;
    rows[32] = 1e8f;
    rows[33] = 1;
    rows[34] = -1e8f;
    float[] ones = new float[Gemv.LANES];
    Arrays.fill(ones, 1);
    float[] to = new float[3];
    GemmArithmetic.of(AccumulatorType.F32)
        .run(new Object[] {rows, ones, to}, 0, Gemv.LANES, 0, Gemv.LANES, 1, 0, 2);
    assertThat(to).usingExactEquality().containsExactly(0f, 1f, 1f).inOrder();
  }

  /** The products that are left over are added last, to what the result has already. */
  @Test
  void restIsAddedLast() {
    float[] rows = {-1e8f, 2, 1, 2, 1, 1e8f, 3, 4, 5, 6};
    float[] ones = {1, 1};
    float[] to = {9, 1e8f, 1e8f, -1e8f, 10, 10};
    GemmArithmetic.of(AccumulatorType.F32).addRest(new Object[] {rows, ones, to}, 0, 2, 0, 2, 1, 5);
    assertThat(to).usingExactEquality().containsExactly(9f, 2f, 1e8f, 0f, 17f, 21f).inOrder();
  }

  /** Three groups, the last of them with a single row; or fewer rows than lanes. */
  @ParameterizedTest
  @CsvSource({
    "F32, 2, 1",
    "F32, 4, 1",
    "F32, 8, 2",
    "F32, 8, 4",
    "F32, 16, 4",
    "F64, 2, 1",
    "F64, 4, 1",
    "F64, 8, 2",
    "I32, 4, 1",
    "I32, 8, 2",
    "I64, 2, 1",
    "I64, 4, 1"
  })
  void vectorCodeGivesTheBitsOfLoops(AccumulatorType accumulatorType, int lanes, int rows) {
    assumeTrue(Machine.isVectorApiOn(), "needs the Vector API");
    assumeTrue(lanes * accumulatorType.bits() <= Machine.vectorBits(), "needs longer vectors");
    check(new RowSumsShape(accumulatorType, lanes, lanes, rows), 2 * lanes + 1);
    for (int group = rows; group < lanes; group++) {
      check(new RowSumsShape(accumulatorType, lanes, group, rows), group);
    }
  }

  private static void check(RowSumsShape shape, int count) {
    AccumulatorType type = shape.accumulatorType();
    int steps = 3 * Gemv.LANES;
    Object a = random(type, 2 + count * (steps + 1));
    Object b = random(type, 1 + steps);
    Object got = random(type, 1 + count + shape.lanes());
    Object want = random(type, 1 + count + shape.lanes());
    shape.generate().run(new Object[] {a, b, got}, 2, steps + 1, 1, steps, 1, 0, count);
    GemmArithmetic.of(type).run(new Object[] {a, b, want}, 2, steps + 1, 1, steps, 1, 0, count);
    for (int i = 0; i < 1 + count; i++) {
      assertThat(Array.get(got, i)).isEqualTo(Array.get(want, i));
    }
  }

  private static Object random(AccumulatorType type, int count) {
    Object array = MatrixCopies.of(type).allocate(count);
    Random random = new Random(count);
    for (int i = 0; i < count; i++) {
      setRandom(array, i, random);
    }
    return array;
  }

  private static void setRandom(Object array, int at, Random random) {
    switch (array) {
      case float[] floats -> floats[at] = random.nextFloat();
      case double[] doubles -> doubles[at] = random.nextDouble();
      default -> Array.setInt(array, at, random.nextInt());
    }
  }
}
