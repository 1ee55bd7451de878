package org.hlo4j.interpreter.compiled.gemm;

import org.hlo4j.interpreter.compiled.codegen.VectorClass;

/**
 * Which tile: a class of its own for each.
 *
 * @param carrier the type of the elements
 * @param lanes how many elements a vector has
 * @param rows how many rows of a; 0 for what copies rows of vectors, see {@link RowCopyCode}
 * @param vectors how many vectors a row of the panel has
 * @param stepStride how far apart neighbours in a row of a lie
 * @param packed whether rows of b lie as far apart as the panel is wide; if not, then as far apart
 *     as those of c
 * @param laneStride 0; or how far apart rows of b lie, if a column of the result depends on that
 *     column of a alone, which lies as far from the first as it does in b
 * @param columns how many columns of b there are one after the other in each step, if it is
 *     lanewise, so that each row of a makes as many rows of the result; else 1
 */
record MicroKernelShape(
    AccumulatorType carrier,
    int lanes,
    int rows,
    int vectors,
    int stepStride,
    boolean packed,
    int laneStride,
    int columns) {
  /** The width of the panel. */
  int width() {
    return vectors * lanes;
  }

  /** The field of the vector class that holds the species. */
  String species() {
    return VectorClass.species(lanes * carrier.bits());
  }

  boolean isLanewise() {
    return laneStride != 0;
  }

  /** How many sums there are, each of a vector. */
  int sums() {
    return rows * columns * vectors;
  }

  boolean copies() {
    return rows == 0;
  }

  /** One of fewer rows or vectors. */
  MicroKernelShape part(int rows, int vectors) {
    return new MicroKernelShape(
        carrier, lanes, rows, vectors, stepStride, packed, laneStride, columns);
  }

  /** One of so many rows and columns, the latter one after the other. */
  MicroKernelShape side(int rows, int columns) {
    int stride = laneStride / this.columns * columns;
    return new MicroKernelShape(carrier, lanes, rows, vectors, stepStride, packed, stride, columns);
  }

  /** One that reads b where it lies. */
  MicroKernelShape unpacked() {
    return new MicroKernelShape(
        carrier, lanes, rows, vectors, stepStride, false, laneStride, columns);
  }

  /** What copies rows as long as one of the panel. */
  MicroKernelShape copier() {
    return new MicroKernelShape(carrier, lanes, 0, vectors, 0, true, 0, 1);
  }
}
