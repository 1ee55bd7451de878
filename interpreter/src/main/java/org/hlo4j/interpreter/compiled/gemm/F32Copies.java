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
