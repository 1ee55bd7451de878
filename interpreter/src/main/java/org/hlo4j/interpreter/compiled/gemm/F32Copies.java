package org.hlo4j.interpreter.compiled.gemm;

import java.util.Arrays;

/**
 * Copies of f32 arrays. This class is also the template from which {@code PrimitiveSpecializer}
 * generates the copies of the other types.
 */
final class F32Copies extends MatrixCopies {
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
  void gatherElements(Object from, int base, MatrixPart part, Object to, int start, int stride) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    DimensionOffsets columns = part.columns();
    for (int i = part.i0(); i < part.i1(); i++) {
      int first = base + part.rows().at(i);
      int at = start + (i - part.i0()) * stride - part.j0();
      for (int j = part.j0(); j < part.j1(); j++) {
        target[at + j] = source[first + columns.at(j)];
      }
    }
  }

  @Override
  void scatterElements(
      Object from, int start, int stride, Object to, int base, MatrixPart part, boolean add) {
    float[] source = (float[]) from;
    float[] target = (float[]) to;
    DimensionOffsets columns = part.columns();
    for (int i = part.i0(); i < part.i1(); i++) {
      int first = base + part.rows().at(i);
      int at = start + (i - part.i0()) * stride - part.j0();
      for (int j = part.j0(); j < part.j1(); j++) {
        int position = first + columns.at(j);
        target[position] = add ? source[at + j] + target[position] : source[at + j];
      }
    }
  }
}
