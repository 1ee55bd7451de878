package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;
import org.hlo4j.interpreter.compiled.copy.Transposition;

/**
 * Copies of f32 arrays. This class is also the template from which {@code PrimitiveSpecializer}
 * generates the copies of the other types.
 */
final class F32Copies extends MatrixCopies {
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
    } else if (part.rows().hasConstantStride() && columns.hasConstantStride()) {
      int first = base + part.rows().at(part.i0()) + columns.at(part.j0());
      int rowStride = part.rows().stride();
      int height = part.height();
      Transposition.run(
          from, first, rowStride, columns.stride(), to, start, stride, height, part.width());
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

  @Override
  public void scatter(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    DimensionOffsets columns = part.columns();
    boolean areColumns =
        part.rows().contiguousRunLength() >= SHORT_RUN && columns.hasConstantStride();
    if (areColumns && !columns.isContiguous() && !add) {
      scatterColumns(source, start, stride, target, base, part);
      return;
    }
    if (part.rows().hasConstantStride()
        && columns.hasConstantStride()
        && (add || !columns.isContiguous() || part.width() < SHORT_RUN)) {
      scatterStrided(source, start, stride, target, base, part, add);
      return;
    }
    for (int i = part.i0(); i < part.i1(); i++) {
      int at = start + (i - part.i0()) * stride - part.j0();
      int first = base + part.rows().at(i);
      if (columns.isContiguous() && !add) {
        System.arraycopy(source, at + part.j0(), target, first + part.j0(), part.width());
        continue;
      }
      for (int j = part.j0(); j < part.j1(); j++) {
        int position = first + columns.at(j);
        target[position] = add ? source[at + j] + target[position] : source[at + j];
      }
    }
  }

  /** Copies or adds elements one by one, which takes less time for a few of them than a call. */
  private static void scatterStrided(
      float[] source,
      int start,
      int stride,
      float[] target,
      int base,
      MatrixPart part,
      boolean add) {
    int first = base + part.rows().at(part.i0()) + part.columns().at(part.j0());
    int rowStride = part.rows().stride();
    int columnStride = part.columns().stride();
    int width = part.width();
    for (int i = 0; i < part.height(); i++) {
      int from = start + i * stride;
      int to = first + i * rowStride;
      for (int j = 0; j < width; j++) {
        int position = to + j * columnStride;
        target[position] = add ? source[from + j] + target[position] : source[from + j];
      }
    }
  }

  private static void scatterColumns(
      float[] source, int start, int stride, float[] target, int base, MatrixPart part) {
    int run = part.rows().contiguousRunLength();
    int columnStride = part.columns().stride();
    for (int i = part.i0(), length; i < part.i1(); i += length) {
      length = Math.min(run - i % run, part.i1() - i);
      int from = start + (i - part.i0()) * stride;
      int to = base + part.rows().at(i) + part.columns().at(part.j0());
      Transposition.run(source, from, stride, target, to, columnStride, part.width(), length);
    }
  }
}
