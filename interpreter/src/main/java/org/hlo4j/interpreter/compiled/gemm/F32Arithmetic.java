package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;

/**
 * The arithmetic of f32. It is also the template from which {@code PrimitiveSpecializer} generates
 * the arithmetic of the other types.
 */
final class F32Arithmetic extends GemmArithmetic {
  @Override
  void twoRows(
      Object a, int first, int second, Object[] b, int steps, Object c0, Object c1, int columns) {
    float[] left = (float[]) a;
    float[] s0 = (float[]) c0;
    float[] s1 = (float[]) c1;
    Arrays.fill(s0, 0, columns, 0);
    Arrays.fill(s1, 0, columns, 0);
    int k = 0;
    for (; k + 4 <= steps; k += 4) {
      fourSteps(left, first + k, second + k, b, k, s0, s1, columns);
    }
    for (; k < steps; k++) {
      oneStep(left[first + k], (float[]) b[k], s0, columns);
      oneStep(left[second + k], (float[]) b[k], s1, columns);
    }
  }

  private static void fourSteps(
      float[] a, int first, int second, Object[] b, int k, float[] s0, float[] s1, int columns) {
    float[] b0 = (float[]) b[k];
    float[] b1 = (float[]) b[k + 1];
    float[] b2 = (float[]) b[k + 2];
    float[] b3 = (float[]) b[k + 3];
    float a00 = a[first];
    float a01 = a[first + 1];
    float a02 = a[first + 2];
    float a03 = a[first + 3];
    float a10 = a[second];
    float a11 = a[second + 1];
    float a12 = a[second + 2];
    float a13 = a[second + 3];
    for (int j = 0; j < columns; j++) {
      float x0 = b0[j];
      float x1 = b1[j];
      float x2 = b2[j];
      float x3 = b3[j];
      s0[j] = four(a00, x0, a01, x1, a02, x2, a03, x3, s0[j]);
      s1[j] = four(a10, x0, a11, x1, a12, x2, a13, x3, s1[j]);
    }
  }

  private static float four(
      float a0, float x0, float a1, float x1, float a2, float x2, float a3, float x3, float sum) {
    float first = MultiplyAdd.of(a1, x1, MultiplyAdd.of(a0, x0, sum));
    return MultiplyAdd.of(a3, x3, MultiplyAdd.of(a2, x2, first));
  }

  private static void oneStep(float a, float[] b, float[] sums, int columns) {
    for (int j = 0; j < columns; j++) {
      sums[j] = MultiplyAdd.of(a, b[j], sums[j]);
    }
  }

  @Override
  void smallGemm(GemmProblem product, GemmMatrices matrices, boolean add) {
    int columns = product.columns();
    int columnB = product.columnsB().stride();
    int columnC = product.columnsC().stride();
    int stepA = product.stepsA().stride();
    int stepB = product.stepsB().stride();
    Start start = add ? Start.ZERO_THEN_ADD : Start.ZERO;
    Object[] arrays = {matrices.a(), matrices.b(), matrices.c()};
    for (int i = 0; i < product.rows(); i++) {
      int x = matrices.aBase() + product.rowsA().at(i);
      int z = matrices.cBase() + product.rowsC().at(i);
      for (int j = 0, count; j < columns; j += count) {
        count = Math.min(4, columns - j);
        int y = matrices.bBase() + j * columnB;
        int to = z + j * columnC;
        fourSums(arrays, x, stepA, y, stepB, columnB, product.k(), to, columnC, count, start);
      }
    }
  }

  @Override
  void addRest(Object[] arrays, int aStart, int aStride, int bStart, int steps, int t, int rows) {
    Object[] swapped = {arrays[1], arrays[0], arrays[2]};
    for (int i = 0, count; i < rows; i += count) {
      count = Math.min(4, rows - i);
      int y = aStart + i * aStride;
      fourSums(swapped, bStart, 1, y, 1, aStride, steps, t + i, 1, count, Start.RESULT);
    }
  }

  /**
   * Computes four sums at a time, since each has to wait for its previous multiply-add: {@code c[z
   * + j * columnC] = sum over k of a[x + k * stepA] * b[y + k * stepB + j * columnB]}. If there are
   * fewer, some are computed twice.
   */
  private static void fourSums(
      Object[] arrays,
      int x,
      int stepA,
      int y,
      int stepB,
      int columnB,
      int steps,
      int z,
      int columnC,
      int count,
      Start start) {
    float[] a = (float[]) arrays[0];
    float[] b = (float[]) arrays[1];
    float[] c = (float[]) arrays[2];
    int y1 = y + Math.min(1, count - 1) * columnB;
    int y2 = y + Math.min(2, count - 1) * columnB;
    int y3 = y + (count - 1) * columnB;
    int z1 = z + Math.min(1, count - 1) * columnC;
    int z2 = z + Math.min(2, count - 1) * columnC;
    int z3 = z + (count - 1) * columnC;
    boolean isContinued = start == Start.RESULT;
    float sum0 = isContinued ? c[z] : 0;
    float sum1 = isContinued ? c[z1] : 0;
    float sum2 = isContinued ? c[z2] : 0;
    float sum3 = isContinued ? c[z3] : 0;
    for (int k = 0; k < steps; k++) {
      float value = a[x + k * stepA];
      int at = k * stepB;
      sum0 = MultiplyAdd.of(value, b[y + at], sum0);
      sum1 = MultiplyAdd.of(value, b[y1 + at], sum1);
      sum2 = MultiplyAdd.of(value, b[y2 + at], sum2);
      sum3 = MultiplyAdd.of(value, b[y3 + at], sum3);
    }
    if (start == Start.ZERO_THEN_ADD) {
      sum0 = sum0 + c[z];
      sum1 = sum1 + c[z1];
      sum2 = sum2 + c[z2];
      sum3 = sum3 + c[z3];
    }
    c[z3] = sum3;
    c[z2] = sum2;
    c[z1] = sum1;
    c[z] = sum0;
  }

  @Override
  public void run(
      DepthwiseShape shape,
      Object a,
      int aStart,
      int aColumn,
      Object b,
      int bStart,
      int bTap,
      int[] steps,
      int first,
      int rows,
      Object c,
      int cStart,
      int cPixel,
      int channels,
      boolean add) {
    float[] to = (float[]) c;
    float[] sums = new float[channels];
    for (int p = 0; p < shape.pixels(); p++) {
      Arrays.fill(sums, 0, channels, 0);
      for (int r = first; r < first + 2 * rows; r += 2) {
        for (int t = shape.firstTap(p); t < shape.endTap(p); t++) {
          int column = p * shape.stride() + t * shape.dilation();
          int x = aStart + steps[r] + column * aColumn;
          addProducts((float[]) a, x, (float[]) b, bStart + steps[r + 1] + t * bTap, sums);
        }
      }
      for (int j = 0; j < channels; j++) {
        int z = cStart + p * cPixel + j;
        to[z] = add ? sums[j] + to[z] : sums[j];
      }
    }
  }

  private static void addProducts(float[] left, int x, float[] right, int y, float[] sums) {
    for (int j = 0; j < sums.length; j++) {
      sums[j] = MultiplyAdd.of(left[x + j], right[y + j], sums[j]);
    }
  }

  @Override
  public void run(
      Object[] arrays, int aStart, int aStride, int bStart, int steps, int t, int row, int rows) {
    float[] left = (float[]) arrays[0];
    float[] right = (float[]) arrays[1];
    float[] to = (float[]) arrays[2];
    float[] sums = new float[Gemv.LANES];
    for (int i = row; i < rows; i++) {
      partialSums(left, aStart + i * aStride, right, bStart, steps, sums);
      to[t + i] = to[t + i] + horizontalSum(sums);
    }
  }

  /**
   * Computes eight sums at once, because a processor can start eight additions while the first one
   * completes.
   */
  private static void partialSums(
      float[] left, int aStart, float[] right, int bStart, int steps, float[] sums) {
    for (int lane = 0; lane < Gemv.LANES; lane += 8) {
      int x = aStart + lane;
      int y = bStart + lane;
      float sum0 = 0;
      float sum1 = 0;
      float sum2 = 0;
      float sum3 = 0;
      float sum4 = 0;
      float sum5 = 0;
      float sum6 = 0;
      float sum7 = 0;
      for (int k = 0; k < steps; k += Gemv.LANES) {
        sum0 = MultiplyAdd.of(left[x + k], right[y + k], sum0);
        sum1 = MultiplyAdd.of(left[x + k + 1], right[y + k + 1], sum1);
        sum2 = MultiplyAdd.of(left[x + k + 2], right[y + k + 2], sum2);
        sum3 = MultiplyAdd.of(left[x + k + 3], right[y + k + 3], sum3);
        sum4 = MultiplyAdd.of(left[x + k + 4], right[y + k + 4], sum4);
        sum5 = MultiplyAdd.of(left[x + k + 5], right[y + k + 5], sum5);
        sum6 = MultiplyAdd.of(left[x + k + 6], right[y + k + 6], sum6);
        sum7 = MultiplyAdd.of(left[x + k + 7], right[y + k + 7], sum7);
      }
      sums[lane] = sum0;
      sums[lane + 1] = sum1;
      sums[lane + 2] = sum2;
      sums[lane + 3] = sum3;
      sums[lane + 4] = sum4;
      sums[lane + 5] = sum5;
      sums[lane + 6] = sum6;
      sums[lane + 7] = sum7;
    }
  }

  /** {@return the sum of all elements, which are added by halving, in place} */
  private static float horizontalSum(float[] sums) {
    for (int half = sums.length / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; i++) {
        sums[i] = sums[i] + sums[half + i];
      }
    }
    return sums[0];
  }
}
