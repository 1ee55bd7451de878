package org.hlo4j.interpreter.compiled.copy;

import java.util.Arrays;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/** Sizes and strides as Java integers. */
public final class Strides {
  private Strides() {}

  public static int[] ints(Dims dims) {
    int[] ints = new int[dims.count()];
    for (int i = 0; i < ints.length; i++) {
      ints[i] = dims.getInt(i);
    }
    return ints;
  }

  /** Returns the strides of a row-major array; all are 0 if it has no elements. */
  static int[] of(Dims sizes) {
    int[] strides = new int[sizes.count()];
    if (!sizes.contains(0)) {
      int next = 1;
      for (int i = strides.length - 1; i >= 0; i--) {
        strides[i] = next;
        next *= sizes.getInt(i);
      }
    }
    return strides;
  }

  public static int[] of(Shape.Array shape) {
    return of(shape.sizes());
  }

  /** Returns the values at some indices. */
  public static int[] at(int[] values, Dims indices) {
    int[] chosen = new int[indices.count()];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = values[indices.getInt(i)];
    }
    return chosen;
  }

  static int[] times(int[] values, Dims factors) {
    int[] products = new int[values.length];
    for (int i = 0; i < products.length; i++) {
      products[i] = (int) (values[i] * factors.get(i));
    }
    return products;
  }

  /** Returns the row-major position of an index; 0 if the strides are. */
  static int position(Dims index, int[] strides) {
    long position = 0;
    for (int i = 0; i < strides.length; i++) {
      position += index.get(i) * strides[i];
    }
    return (int) position;
  }

  static int[] zeros(int rank) {
    return new int[rank];
  }

  public static int product(int[] sizes) {
    return Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
  }
}
