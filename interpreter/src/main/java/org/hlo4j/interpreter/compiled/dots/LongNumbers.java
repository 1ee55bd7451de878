package org.hlo4j.interpreter.compiled.dots;

import java.util.Arrays;

/** Loops over integers, modulo 2^64. */
final class LongNumbers implements Numbers {
  private static final int TILE = 16;
  private static final int SHORT_RUN = 8;

  /** Rows of b and of sums, each an array of its own, so that C2 makes vectors of the loops. */
  private static final class Rows {
    final long[][] sums = new long[BLOCK_ROWS][BLOCK];
    final long[][] b = new long[STEPS][BLOCK];
    final long[] a = new long[BLOCK_ROWS * STEPS];
  }

  private static final ThreadLocal<Rows> ROWS = ThreadLocal.withInitial(Rows::new);

  @Override
  public Object allocate(int count) {
    return new long[count];
  }

  @Override
  public int length(Object array) {
    return ((long[]) array).length;
  }

  @Override
  public void clear(Object array, int from, int to) {
    Arrays.fill((long[]) array, from, to, 0);
  }

  private static long multiplyAdd(long x, long y, long sum) {
    return x * y + sum;
  }

  @Override
  public void gather(
      Object from,
      int base,
      Positions rows,
      int i0,
      int i1,
      Positions columns,
      int j0,
      int j1,
      Object to,
      int start,
      int stride) {
    long[] source = (long[]) from;
    long[] target = (long[]) to;
    if (columns.isContiguous()) {
      for (int i = i0; i < i1; i++) {
        int at = start + (i - i0) * stride;
        System.arraycopy(source, base + rows.at(i) + j0, target, at, j1 - j0);
      }
    } else if (columns.run() >= SHORT_RUN) {
      gatherRuns(source, base, rows, i0, i1, columns, j0, j1, target, start, stride);
    } else if (rows.isEven() && columns.isEven()) {
      gatherEven(
          source,
          base + i0 * rows.stride() + j0 * columns.stride(),
          rows.stride(),
          i1 - i0,
          columns.stride(),
          j1 - j0,
          target,
          start,
          stride);
    } else {
      for (int i = i0; i < i1; i++) {
        int first = base + rows.at(i);
        int at = start + (i - i0) * stride - j0;
        for (int j = j0; j < j1; j++) {
          target[at + j] = source[first + columns.at(j)];
        }
      }
    }
  }

  private static void gatherRuns(
      long[] source,
      int base,
      Positions rows,
      int i0,
      int i1,
      Positions columns,
      int j0,
      int j1,
      long[] target,
      int start,
      int stride) {
    int run = columns.run();
    for (int i = i0; i < i1; i++) {
      int first = base + rows.at(i);
      int at = start + (i - i0) * stride - j0;
      for (int j = j0; j < j1; ) {
        int length = Math.min(run - j % run, j1 - j);
        System.arraycopy(source, first + columns.at(j), target, at + j, length);
        j += length;
      }
    }
  }

  /** Square by square, so that each line of memory is read while it is near. */
  private static void gatherEven(
      long[] source,
      int base,
      int rowStride,
      int rows,
      int columnStride,
      int columns,
      long[] target,
      int start,
      int stride) {
    for (int j0 = 0; j0 < columns; j0 += TILE) {
      int j1 = Math.min(columns, j0 + TILE);
      for (int i = 0; i < rows; i++) {
        int first = base + i * rowStride;
        int at = start + i * stride;
        for (int j = j0; j < j1; j++) {
          target[at + j] = source[first + j * columnStride];
        }
      }
    }
  }

  @Override
  public void scatter(
      Object from,
      int start,
      int stride,
      Object to,
      int base,
      Positions rows,
      int i0,
      int i1,
      Positions columns,
      int j0,
      int j1,
      boolean add) {
    long[] source = (long[]) from;
    long[] target = (long[]) to;
    if (!columns.isContiguous() && rows.run() >= SHORT_RUN && !add) {
      scatterColumns(source, start, stride, target, base, rows, i0, i1, columns, j0, j1);
      return;
    }
    for (int i = i0; i < i1; i++) {
      int at = start + (i - i0) * stride - j0;
      int first = base + rows.at(i);
      if (columns.isContiguous()) {
        store(source, at + j0, target, first + j0, j1 - j0, add);
        continue;
      }
      for (int j = j0; j < j1; j++) {
        int place = first + columns.at(j);
        target[place] = add ? source[at + j] + target[place] : source[at + j];
      }
    }
  }

  private static void scatterColumns(
      long[] source,
      int start,
      int stride,
      long[] target,
      int base,
      Positions rows,
      int i0,
      int i1,
      Positions columns,
      int j0,
      int j1) {
    for (int j = j0; j < j1; j++) {
      int first = base + columns.at(j);
      int at = start + j - j0;
      for (int i = i0; i < i1; i++) {
        target[first + rows.at(i)] = source[at + (i - i0) * stride];
      }
    }
  }

  private static void store(
      long[] source, int at, long[] target, int first, int count, boolean add) {
    if (add) {
      for (int j = 0; j < count; j++) {
        target[first + j] = source[at + j] + target[first + j];
      }
    } else {
      System.arraycopy(source, at, target, first, count);
    }
  }

  @Override
  public void block(
      Product product,
      Object a,
      int aBase,
      Object b,
      int bBase,
      Object c,
      int cBase,
      int i0,
      int i1,
      int j0,
      int j1,
      int k0,
      int k1,
      boolean add) {
    Rows scratch = ROWS.get();
    int steps = k1 - k0;
    int columns = j1 - j0;
    for (int k = 0; k < steps; k++) {
      gather(
          b,
          bBase,
          product.stepsB(),
          k0 + k,
          k0 + k + 1,
          product.columnsB(),
          j0,
          j1,
          scratch.b[k],
          0,
          0);
    }
    int rows = i1 - i0;
    gather(a, aBase, product.rowsA(), i0, i1, product.stepsA(), k0, k1, scratch.a, 0, STEPS);
    for (int r = 0; r < rows; r++) {
      Arrays.fill(scratch.sums[r], 0, columns, 0);
    }
    for (int k = 0; k < steps; k += STEPS_AT_ONCE) {
      sums(scratch, rows, k, Math.min(steps, k + STEPS_AT_ONCE), columns);
    }
    Positions rowsC = product.rowsC();
    Positions columnsC = product.columnsC();
    for (int r = 0; r < rows; r++) {
      int i = i0 + r;
      scatter(scratch.sums[r], 0, 0, c, cBase, rowsC, i, i + 1, columnsC, j0, j1, add);
    }
  }

  /** Some steps of all rows: so many that these rows of b stay in the first cache. */
  private static void sums(Rows scratch, int rows, int k0, int k1, int columns) {
    int r = 0;
    for (; r + 4 <= rows; r += 4) {
      int k = k0;
      for (; k + 4 <= k1; k += 4) {
        fourSteps(scratch, r, k, columns);
      }
      for (; k < k1; k++) {
        for (int i = r; i < r + 4; i++) {
          oneStep(scratch.sums[i], scratch.b[k], columns, scratch.a[i * STEPS + k]);
        }
      }
    }
    for (; r < rows; r++) {
      for (int k = k0; k < k1; k++) {
        oneStep(scratch.sums[r], scratch.b[k], columns, scratch.a[r * STEPS + k]);
      }
    }
  }

  private static void fourSteps(Rows scratch, int r, int k, int columns) {
    long[] s0 = scratch.sums[r];
    long[] s1 = scratch.sums[r + 1];
    long[] s2 = scratch.sums[r + 2];
    long[] s3 = scratch.sums[r + 3];
    long[] b0 = scratch.b[k];
    long[] b1 = scratch.b[k + 1];
    long[] b2 = scratch.b[k + 2];
    long[] b3 = scratch.b[k + 3];
    long[] a = scratch.a;
    int at = r * STEPS + k;
    long a00 = a[at];
    long a01 = a[at + 1];
    long a02 = a[at + 2];
    long a03 = a[at + 3];
    long a10 = a[at + STEPS];
    long a11 = a[at + STEPS + 1];
    long a12 = a[at + STEPS + 2];
    long a13 = a[at + STEPS + 3];
    long a20 = a[at + 2 * STEPS];
    long a21 = a[at + 2 * STEPS + 1];
    long a22 = a[at + 2 * STEPS + 2];
    long a23 = a[at + 2 * STEPS + 3];
    long a30 = a[at + 3 * STEPS];
    long a31 = a[at + 3 * STEPS + 1];
    long a32 = a[at + 3 * STEPS + 2];
    long a33 = a[at + 3 * STEPS + 3];
    for (int j = 0; j < columns; j++) {
      long x0 = b0[j];
      long x1 = b1[j];
      long x2 = b2[j];
      long x3 = b3[j];
      s0[j] = four(a00, x0, a01, x1, a02, x2, a03, x3, s0[j]);
      s1[j] = four(a10, x0, a11, x1, a12, x2, a13, x3, s1[j]);
      s2[j] = four(a20, x0, a21, x1, a22, x2, a23, x3, s2[j]);
      s3[j] = four(a30, x0, a31, x1, a32, x2, a33, x3, s3[j]);
    }
  }

  private static long four(
      long a0, long x0, long a1, long x1, long a2, long x2, long a3, long x3, long sum) {
    long first = multiplyAdd(a1, x1, multiplyAdd(a0, x0, sum));
    return multiplyAdd(a3, x3, multiplyAdd(a2, x2, first));
  }

  private static void oneStep(long[] sums, long[] b, int columns, long a) {
    for (int j = 0; j < columns; j++) {
      sums[j] = multiplyAdd(a, b[j], sums[j]);
    }
  }

  @Override
  public void small(Product product, Object a, Object b, Object c) {
    int columns = product.columns();
    int columnB = product.columnsB().stride();
    int columnC = product.columnsC().stride();
    for (int batch = 0; batch < product.batches(); batch++) {
      for (int i = 0; i < product.rows(); i++) {
        int x = product.batchesA().at(batch) + product.rowsA().at(i);
        int y = product.batchesB().at(batch);
        int z = product.batchesC().at(batch) + product.rowsC().at(i);
        for (int j = 0, count; j < columns; j += count) {
          count = columns - j >= 4 ? 4 : 1;
          int right = y + j * columnB;
          sums(product, (long[]) a, x, (long[]) b, right, count, (long[]) c, z + j * columnC);
        }
      }
    }
  }

  /** Four sums at a time, since each has to wait for its last step; or one. */
  private static void sums(
      Product product, long[] a, int x, long[] b, int y, int count, long[] c, int z) {
    int apart = count == 4 ? product.columnsB().stride() : 0;
    int stepA = product.stepsA().stride();
    int stepB = product.stepsB().stride();
    long sum0 = 0;
    long sum1 = 0;
    long sum2 = 0;
    long sum3 = 0;
    for (int k = 0; k < product.steps(); k++) {
      long value = a[x + k * stepA];
      int at = y + k * stepB;
      sum0 = multiplyAdd(value, b[at], sum0);
      sum1 = multiplyAdd(value, b[at + apart], sum1);
      sum2 = multiplyAdd(value, b[at + 2 * apart], sum2);
      sum3 = multiplyAdd(value, b[at + 3 * apart], sum3);
    }
    c[z] = sum0;
    if (count == 4) {
      int next = product.columnsC().stride();
      c[z + next] = sum1;
      c[z + 2 * next] = sum2;
      c[z + 3 * next] = sum3;
    }
  }

  @Override
  public void lanes(
      LaneProduct product,
      Object a,
      int aStart,
      Object b,
      int bStart,
      Object c,
      int cStart,
      int k0,
      int k1,
      boolean add) {
    long[] left = (long[]) a;
    long[] right = (long[]) b;
    long[] to = (long[]) c;
    int[] stepsA = product.stepsA();
    int[] stepsB = product.stepsB();
    for (int j = 0; j < product.columns(); j++) {
      long sum = 0;
      for (int k = k0; k < k1; k++) {
        sum = multiplyAdd(left[aStart + stepsA[k] + j], right[bStart + stepsB[k] + j], sum);
      }
      to[cStart + j] = add ? sum + to[cStart + j] : sum;
    }
  }

  @Override
  public void laneSums(
      Object a,
      int aStart,
      Object b,
      int bStart,
      Object sums,
      int start,
      int lanes,
      int count,
      boolean add) {
    long[] left = (long[]) a;
    long[] right = (long[]) b;
    long[] to = (long[]) sums;
    for (int lane = 0; lane < lanes; lane++) {
      long sum = 0;
      for (int k = 0; k < count; k++) {
        int at = k * lanes + lane;
        sum = multiplyAdd(left[aStart + at], right[bStart + at], sum);
      }
      to[start + lane] = add ? sum + to[start + lane] : sum;
    }
  }

  @Override
  public void total(
      Object sums,
      int start,
      int lanes,
      Object a,
      int aStart,
      Object b,
      int bStart,
      int count,
      Object c,
      int place) {
    long[] parts = (long[]) sums;
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int lane = 0; lane < half; lane++) {
        parts[start + lane] += parts[start + half + lane];
      }
    }
    long total = parts[start];
    for (int k = 0; k < count; k++) {
      total = multiplyAdd(((long[]) a)[aStart + k], ((long[]) b)[bStart + k], total);
    }
    ((long[]) c)[place] = total;
  }
}
