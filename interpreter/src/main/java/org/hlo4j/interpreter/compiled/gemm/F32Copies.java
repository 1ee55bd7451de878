package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.copy.Transposition;

/**
 * Copies of f32 arrays. This class is also the template from which {@code PrimitiveSpecializer}
 * generates the copies of the other types.
 */
final class F32Copies extends MatrixCopies {
  private static final int TILE = 16;
  private static final int SHORT_RUN = 8;

  /**
   * The number of rows, adjacent in memory, that are copied together, each to or from its own
   * array.
   */
  private static final int GROUP = 8;

  @Override
  public Object allocate(int count) {
    return new float[count];
  }

  @Override
  int length(Object array) {
    return ((float[]) array).length;
  }

  @Override
  public void clear(Object array, int from, int to) {
    Arrays.fill((float[]) array, from, to, 0);
  }

  @Override
  public void gather(Object from, int base, MatrixPart part, Object to, int start, int stride) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    DimensionOffsets columns = part.columns();
    if (columns.contiguousRunLength() >= SHORT_RUN || columns.isContiguous()) {
      gatherRuns(source, base, part, target, start, stride);
    } else if (isTransposed(part)) {
      int first = base + part.rows().at(part.i0()) + columns.at(part.j0());
      int rows = part.i1() - part.i0();
      Transposition.run(from, first, columns.stride(), to, start, stride, rows, part.width());
    } else if (part.rows().hasConstantStride() && columns.hasConstantStride()) {
      gatherStrided(source, base, part, target, start, stride);
    } else if (columns.stridedRunLength() >= SHORT_RUN) {
      gatherStridedRuns(source, base, part, target, start, stride);
    } else {
      for (int i = part.i0(); i < part.i1(); i++) {
        int first = base + part.rows().at(i);
        int at = start + (i - part.i0()) * stride - part.j0();
        for (int j = part.j0(); j < part.j1(); j++) {
          target[at + j] = source[first + columns.at(j)];
        }
      }
    }
  }

  private static void gatherStridedRuns(
      float[] source, int base, MatrixPart part, float[] target, int start, int stride) {
    int run = part.columns().stridedRunLength();
    int columnStride = part.columns().stride();
    for (int i = part.i0(); i < part.i1(); i++) {
      int first = base + part.rows().at(i);
      int at = start + (i - part.i0()) * stride - part.j0();
      for (int j = part.j0(), length; j < part.j1(); j += length) {
        length = Math.min(run - j % run, part.j1() - j);
        copyStrided(source, first + part.columns().at(j), columnStride, target, at + j, length);
      }
    }
  }

  private static void copyStrided(
      float[] source, int first, int columnStride, float[] target, int at, int length) {
    for (int j = 0; j < length; j++) {
      target[at + j] = source[first + j * columnStride];
    }
  }

  /** {@return whether rows are contiguous and columns have a constant stride} */
  private static boolean isTransposed(MatrixPart part) {
    return part.rows().hasConstantStride()
        && part.rows().stride() == 1
        && part.columns().hasConstantStride();
  }

  private static void gatherRuns(
      float[] source, int base, MatrixPart part, float[] target, int start, int stride) {
    int run = part.columns().contiguousRunLength();
    for (int i = part.i0(); i < part.i1(); i++) {
      int first = base + part.rows().at(i);
      int at = start + (i - part.i0()) * stride - part.j0();
      for (int j = part.j0(), length; j < part.j1(); j += length) {
        length = Math.min(run - j % run, part.j1() - j);
        System.arraycopy(source, first + part.columns().at(j), target, at + j, length);
      }
    }
  }

  /** Copies in strips of columns, so that a cache line is read again while it is in the cache. */
  private static void gatherStrided(
      float[] source, int base, MatrixPart part, float[] target, int start, int stride) {
    int columnStride = part.columns().stride();
    for (int j0 = part.j0(); j0 < part.j1(); j0 += TILE) {
      int j1 = Math.min(part.j1(), j0 + TILE);
      for (int i = part.i0(); i < part.i1(); i++) {
        int first = base + part.rows().at(i);
        int at = start + (i - part.i0()) * stride - part.j0();
        for (int j = j0; j < j1; j++) {
          target[at + j] = source[first + j * columnStride];
        }
      }
    }
  }

  @Override
  public void scatter(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    DimensionOffsets columns = part.columns();
    if (columns.isContiguous()) {
      scatterRuns(source, start, stride, target, base, part, add);
    } else if (part.rows().contiguousRunLength() >= SHORT_RUN && !add) {
      scatterColumns(source, start, stride, target, base, part);
    } else {
      for (int i = part.i0(); i < part.i1(); i++) {
        int at = start + (i - part.i0()) * stride - part.j0();
        int first = base + part.rows().at(i);
        for (int j = part.j0(); j < part.j1(); j++) {
          int position = first + columns.at(j);
          target[position] = add ? source[at + j] + target[position] : source[at + j];
        }
      }
    }
  }

  private static void scatterRuns(
      float[] source,
      int start,
      int stride,
      float[] target,
      int base,
      MatrixPart part,
      boolean add) {
    for (int i = part.i0(); i < part.i1(); i++) {
      int at = start + (i - part.i0()) * stride;
      int first = base + part.rows().at(i) + part.j0();
      if (!add) {
        System.arraycopy(source, at, target, first, part.width());
        continue;
      }
      for (int j = 0; j < part.width(); j++) {
        target[first + j] = source[at + j] + target[first + j];
      }
    }
  }

  @Override
  void gatherRows(Object from, int base, MatrixPart part, Object[] to) {
    for (int i = 0, count; i < part.i1() - part.i0(); i += count) {
      count = part.areContiguous(i, GROUP) ? GROUP : 1;
      if (count == 1) {
        gather(from, base, part.row(i), to[i], 0, 0);
      } else {
        gatherGroup((float[]) from, base + part.rows().at(part.i0() + i), part, to, i);
      }
    }
  }

  private static void gatherGroup(float[] source, int first, MatrixPart part, Object[] to, int i) {
    float[] t0 = (float[]) to[i];
    float[] t1 = (float[]) to[i + 1];
    float[] t2 = (float[]) to[i + 2];
    float[] t3 = (float[]) to[i + 3];
    float[] t4 = (float[]) to[i + 4];
    float[] t5 = (float[]) to[i + 5];
    float[] t6 = (float[]) to[i + 6];
    float[] t7 = (float[]) to[i + 7];
    DimensionOffsets columns = part.columns();
    for (int j = 0; j < part.width(); j++) {
      int at = first + columns.at(part.j0() + j);
      t0[j] = source[at];
      t1[j] = source[at + 1];
      t2[j] = source[at + 2];
      t3[j] = source[at + 3];
      t4[j] = source[at + 4];
      t5[j] = source[at + 5];
      t6[j] = source[at + 6];
      t7[j] = source[at + 7];
    }
  }

  @Override
  void scatterRows(Object[] from, Object to, int base, MatrixPart part) {
    for (int i = 0, count; i < part.i1() - part.i0(); i += count) {
      count = part.areContiguous(i, GROUP) ? GROUP : 1;
      if (count == 1) {
        scatter(from[i], 0, 0, to, base, part.row(i), false);
      } else {
        scatterGroup(from, i, (float[]) to, base + part.rows().at(part.i0() + i), part);
      }
    }
  }

  private static void scatterGroup(
      Object[] from, int i, float[] target, int first, MatrixPart part) {
    float[] s0 = (float[]) from[i];
    float[] s1 = (float[]) from[i + 1];
    float[] s2 = (float[]) from[i + 2];
    float[] s3 = (float[]) from[i + 3];
    float[] s4 = (float[]) from[i + 4];
    float[] s5 = (float[]) from[i + 5];
    float[] s6 = (float[]) from[i + 6];
    float[] s7 = (float[]) from[i + 7];
    DimensionOffsets columns = part.columns();
    for (int j = 0; j < part.width(); j++) {
      int at = first + columns.at(part.j0() + j);
      target[at] = s0[j];
      target[at + 1] = s1[j];
      target[at + 2] = s2[j];
      target[at + 3] = s3[j];
      target[at + 4] = s4[j];
      target[at + 5] = s5[j];
      target[at + 6] = s6[j];
      target[at + 7] = s7[j];
    }
  }

  @Override
  void add(Object from, Object to, int count) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    for (int i = 0; i < count; i++) {
      target[i] = source[i] + target[i];
    }
  }

  private static void scatterColumns(
      float[] source, int start, int stride, float[] target, int base, MatrixPart part) {
    int run = part.rows().contiguousRunLength();
    if (part.columns().hasConstantStride()) {
      for (int i = part.i0(), length; i < part.i1(); i += length) {
        length = Math.min(run - i % run, part.i1() - i);
        int from = start + (i - part.i0()) * stride;
        int to = base + part.rows().at(i) + part.columns().at(part.j0());
        int columnStride = part.columns().stride();
        Transposition.run(source, from, stride, target, to, columnStride, part.width(), length);
      }
      return;
    }
    for (int j = part.j0(); j < part.j1(); j++) {
      int first = base + part.columns().at(j);
      int at = start + j - part.j0();
      for (int i = part.i0(); i < part.i1(); i++) {
        target[first + part.rows().at(i)] = source[at + (i - part.i0()) * stride];
      }
    }
  }
}
