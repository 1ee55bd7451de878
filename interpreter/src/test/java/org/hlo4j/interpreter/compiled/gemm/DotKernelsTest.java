package org.hlo4j.interpreter.compiled.gemm;

import static com.google.common.truth.Truth.assertThat;

import java.util.Random;
import org.hlo4j.hlo.text.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels of dots against the reference evaluator: the same bits before and after warm-up, with one
 * thread and with two.
 */
class DotKernelsTest {
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64"})
  void sizes(String type) {
    Products.matmul(type, 1, 1, 1);
    Products.matmul(type, 7, 13, 65);
    Products.matmul(type, 65, 257, 13);
    Products.matmul(type, 0, 7, 13);
    Products.matmul(type, 7, 0, 13);
    Products.matmul(type, 7, 13, 0);
    Products.matmul(type, 1, 257, 65);
    Products.matmul(type, 257, 65, 1);
    Products.matmul(type, 1, 257, 1);
    Products.matmul(type, 257, 257, 257);
    Products.matmul(type, 13, 600, 130);
    Products.matmul(type, 100, 1, 600);
  }

  /** The left side is copied, since it has many rows with a large stride. */
  @Test
  void longRows() {
    Products.matmul("f32", 130, 2100, 70);
  }

  /**
   * Few sums of many steps are split into equal parts, if the number of steps has a suitable
   * divisor.
   */
  @Test
  void fewLongSumsAreSplit() {
    for (String type : new String[] {"f32", "f64", "s32", "bf16", "s8"}) {
      Products.matmul(type, 16, 6000, 17);
      Products.dot(
          type + "[4098,13]",
          type + "[4098,30]",
          type + "[13,30]",
          "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
          4098);
      Products.dot(
          type + "[4098,30]",
          type + "[4098,2]",
          type + "[30,2]",
          "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
          4098);
    }
    Products.matmul("f32", 16, 4099, 17);
    Products.matmul("f32", 0, 6000, 17);
    String description =
        DotKernels.kernel(
                Parser.parse(
                        """
                        HloModule m
                        ENTRY e {
                          a = f32[4098,13] parameter(0)
                          ROOT c = f32[13,13] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}
                        }
                        """)
                    .entry()
                    .root())
            .kernel()
            .orElseThrow()
            .describe();
    assertThat(description).startsWith("gemm f32 13x4098x13: columns, over steps, ");
  }

  /** Computes four sums at a time, of columns or, if there are more, of rows; fewer at the end. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "s8"})
  void manySmallMatrices(String type) {
    int[][] sizes = {{3, 3, 3}, {4, 4, 1}, {5, 2, 3}, {2, 3, 6}, {1, 3, 7}, {7, 1, 1}, {6, 4, 2}};
    for (int[] size : sizes) {
      Products.dot(
          "%s[13,%d,%d]".formatted(type, size[0], size[1]),
          "%s[13,%d,%d]".formatted(type, size[1], size[2]),
          "%s[13,%d,%d]".formatted(type, size[0], size[2]),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
              + " rhs_contracting_dims={1}",
          size[1]);
    }
    Products.dot(
        type + "[13,4,2,3]",
        type + "[13,4]",
        type + "[13,2,3]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
            + " rhs_contracting_dims={1}",
        4);
  }

  /** The right side of a head is read in place, between the rows of other heads. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32"})
  void heads(String type) {
    for (int width : new int[] {16, 8, 32, 12}) {
      Products.dot(
          type + "[6,4,13,16]",
          "%s[6,16,4,%d]".formatted(type, width),
          "%s[6,4,13,%d]".formatted(type, width),
          "lhs_batch_dims={0,1}, rhs_batch_dims={0,2}, lhs_contracting_dims={3},"
              + " rhs_contracting_dims={1}",
          16);
    }
  }

  /** The right side is read in place; the last columns are computed separately. */
  @Test
  void fewRows() {
    for (String type : new String[] {"f32", "f64", "s32"}) {
      Products.matmul(type, 1, 300, 128);
      Products.matmul(type, 1, 65, 191);
      Products.matmul(type, 3, 130, 127);
      Products.matmul(type, 6, 130, 200);
      Products.matmul(type, 5, 1100, 130);
      Products.matmul(type, 2, 5000, 67);
      Products.matmul(type, 13, 1100, 70);
    }
    Products.dot(
        "f32[2,3,40]",
        "f32[2,40,130]",
        "f32[2,3,130]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        40);
  }

  /** Loops go over the many rows; eight steps, or results, are copied at a time. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64", "bf16"})
  void fewColumns(String type) {
    Products.matmul(type, 300, 65, 13);
    Products.matmul(type, 1200, 20, 100);
    Products.matmul(type, 2050, 17, 8);
    Products.matmul(type, 130, 600, 20);
    Products.dot(
        type + "[40,300]",
        type + "[13,40]",
        type + "[300,13]",
        "lhs_contracting_dims={0}, rhs_contracting_dims={1}",
        40);
    Products.dot(
        type + "[3,260,40]",
        type + "[3,40,24]",
        type + "[3,260,24]",
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        40);
  }

  /**
   * Lanes are rows, which are contiguous in the left side, if there are few columns; the last
   * vector of each begins further left. A few sums are computed without vectors.
   */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "bf16"})
  void transposedTimesFewColumns(String type) {
    for (int[] size :
        new int[][] {{70, 300, 1}, {70, 65, 5}, {70, 300, 6}, {9, 40, 3}, {3, 90, 2}}) {
      Products.dot(
          "%s[%d,%d]".formatted(type, size[1], size[0]),
          "%s[%d,%d]".formatted(type, size[1], size[2]),
          "%s[%d,%d]".formatted(type, size[0], size[2]),
          "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
          size[1]);
      Products.dot(
          "%s[2,%d,%d]".formatted(type, size[1], size[0]),
          "%s[2,%d,%d]".formatted(type, size[2], size[1]),
          "%s[2,%d,%d]".formatted(type, size[0], size[2]),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
              + " rhs_contracting_dims={2}",
          size[1]);
    }
    Products.matmul(type, 300, 31, 1);
    Products.matmul(type, 140, 20, 3);
  }

  /** Few columns, or rows, that are contiguous along the contracting dimension. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "u64"})
  void rowsTimesVector(String type) {
    Products.matmul(type, 257, 64, 1);
    Products.matmul(type, 1, 97, 1);
    Products.matmul(type, 7, 9000, 1);
    Products.matmul(type, 130, 257, 1);
    for (int columns : new int[] {1, 2, 3, 5, 12, 13}) {
      Products.dot(
          "%s[67,257]".formatted(type),
          "%s[%d,257]".formatted(type, columns),
          "%s[67,%d]".formatted(type, columns),
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
          257);
      Products.dot(
          "%s[5,%d,65]".formatted(type, columns),
          "%s[5,70,65]".formatted(type),
          "%s[5,%d,70]".formatted(type, columns),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
              + " rhs_contracting_dims={2}",
          65);
    }
  }

  /**
   * Rows that fill vectors of accumulators and rows that do not; as many as a chunk has, and more.
   */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "s64", "bf16"})
  void shortRowsTimesVector(String type) {
    for (int steps : new int[] {32, 96, 128, 512}) {
      Products.dot(
          "%s[5,%d]".formatted(type, steps),
          "%s[5,77,%d]".formatted(type, steps),
          "%s[5,77]".formatted(type),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1},"
              + " rhs_contracting_dims={2}",
          steps);
      Products.matmul(type, 600, steps, 1);
      Products.matmul(type, 3, steps, 1);
    }
  }

  /** There are so many steps that a few blocks of them are done one after the other. */
  @Test
  void longRowsTimesVectors() {
    Products.dot(
        "f32[3,4200]",
        "f32[70,4200]",
        "f32[3,70]",
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        4200);
  }

  /** The large side is widened as it is read: by columns, by rows, in whole panels or in parts. */
  @ParameterizedTest
  @ValueSource(strings = {"bf16", "f16", "s8", "u8", "s16", "u16"})
  void narrowRows(String type) {
    String sum = type.contains("f") ? "f32" : "s32";
    Products.matmul(type, type, sum, 1, 300, 128);
    Products.matmul(type, type, sum, 3, 130, 1280);
    Products.matmul(type, type, sum, 2, 70, 130);
    for (int rows : new int[] {1, 3}) {
      for (int steps : new int[] {70, 1100, 4200}) {
        Products.dot(
            "%s[%d,%d]".formatted(type, rows, steps),
            "%s[35,%d]".formatted(type, steps),
            "%s[%d,35]".formatted(sum, rows),
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
            steps);
        Products.dot(
            "%s[5,%d]".formatted(type, steps),
            "%s[%d,%d]".formatted(type, rows, steps),
            "%s[5,%d]".formatted(sum, rows),
            "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
            steps);
      }
    }
  }

  /** The stride of the few columns is the number of columns, or of rows, of a side. */
  @ParameterizedTest
  @ValueSource(strings = {"f32", "f64", "s32", "bf16"})
  void fewStridedColumns(String type) {
    Products.matmul(type, 70, 130, 2);
    Products.matmul(type, 9, 203, 8);
    Products.matmul(type, 9, 203, 9);
    Products.dot(
        "%s[130,3]".formatted(type),
        "%s[70,130]".formatted(type),
        "%s[3,70]".formatted(type),
        "lhs_contracting_dims={0}, rhs_contracting_dims={1}",
        130);
    Products.dot(
        "%s[2,5,70]".formatted(type),
        "%s[70,2,3]".formatted(type),
        "%s[2,5,3]".formatted(type),
        "lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={0}",
        70);
  }

  /**
   * Columns are contiguous along the contracting dimension, and there are too many rows to read
   * them in place.
   */
  @Test
  void transposedWhilePacked() {
    for (String type : new String[] {"f32", "f64", "s32"}) {
      Products.dot(
          "%s[40,1100]".formatted(type),
          "%s[130,1100]".formatted(type),
          "%s[40,130]".formatted(type),
          "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
          1100);
    }
  }

  private static void batch(String type, int batches, int m, int k, int n) {
    Products.dot(
        "%s[%d,%d,%d]".formatted(type, batches, m, k),
        "%s[%d,%d,%d]".formatted(type, batches, k, n),
        "%s[%d,%d,%d]".formatted(type, batches, m, n),
        "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2},"
            + " rhs_contracting_dims={1}",
        k);
  }

  /** Tiles read small matrices in place, or no tiles are used. */
  @Test
  void smallMatrices() {
    batch("f32", 1, 8, 8, 8);
    batch("f32", 33, 8, 8, 8);
    batch("f32", 7, 16, 13, 16);
    batch("f32", 7, 13, 256, 80);
    batch("f32", 3, 7, 13, 4);
    batch("f32", 70, 10, 10, 10);
    batch("f32", 70, 3, 300, 1);
    batch("f64", 9, 7, 5, 12);
    batch("f64", 9, 1, 50, 8);
    batch("s32", 9, 33, 17, 48);
    batch("s64", 9, 6, 7, 8);
    batch("u8", 9, 16, 16, 16);
    batch("f32", 0, 16, 16, 16);
    batch("f32", 5, 16, 0, 16);
  }

  @Test
  void dimensionsInAnyOrder() {
    Products.dot(
        "f32[40,33]",
        "f32[40,70]",
        "f32[33,70]",
        "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
        40);
    Products.dot(
        "f32[33,40]",
        "f32[70,40]",
        "f32[33,70]",
        "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
        40);
    Products.dot(
        "f32[5,9,7,4]",
        "f32[4,9,11,5]",
        "f32[9,7,11]",
        "lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={3,0},"
            + " rhs_contracting_dims={0,3}",
        20);
    Products.dot(
        "s32[2,3,40,30]",
        "s32[3,50,2,30]",
        "s32[3,2,40,50]",
        "lhs_batch_dims={1,0}, rhs_batch_dims={0,2}, lhs_contracting_dims={3},"
            + " rhs_contracting_dims={3}",
        30);
    Products.dot("f32[9,10]", "f32[8,11]", "f32[9,10,8,11]", "lhs_contracting_dims={}", 1);
    Products.dot(
        "f32[30,20]",
        "f32[20,30]",
        "f32[]",
        "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}",
        600);
  }

  @Test
  void randomShapes() {
    Random random = new Random(7);
    for (int i = 0; i < 30; i++) {
      int batch = 1 + random.nextInt(3);
      int m = 1 + random.nextInt(150);
      int k = 1 + random.nextInt(300);
      int n = 1 + random.nextInt(150);
      boolean lhs = random.nextBoolean();
      boolean rhs = random.nextBoolean();
      String type = random.nextBoolean() ? "f32" : random.nextBoolean() ? "f64" : "s32";
      Products.dot(
          (lhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, m, k),
          (rhs ? "%s[%d,%d,%d]" : "%1$s[%2$d,%4$d,%3$d]").formatted(type, batch, k, n),
          "%s[%d,%d,%d]".formatted(type, batch, m, n),
          "lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={%d},"
                  .formatted(lhs ? 2 : 1)
              + " rhs_contracting_dims={%d}".formatted(rhs ? 1 : 2),
          k);
    }
  }
}
