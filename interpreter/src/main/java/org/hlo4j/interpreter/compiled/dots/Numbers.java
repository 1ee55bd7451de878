package org.hlo4j.interpreter.compiled.dots;

/**
 * Plain loops over arrays of one type: moving parts of matrices, and sums of products without the
 * Vector API, in the same order and with the same roundings as a {@link Tile}.
 */
interface Numbers {
  /** How many steps are summed in a register before the sum is added to the result. */
  int STEPS = 256;

  /** How many columns {@link #block} does at most. */
  int BLOCK = 256;

  /** How many rows {@link #block} does at most. */
  int BLOCK_ROWS = 64;

  /** How many rows of b may stay in the first cache. */
  int STEPS_AT_ONCE = 16;

  /** The loops of a type. */
  static Numbers of(Carrier carrier) {
    return switch (carrier) {
      case F32 -> new FloatNumbers();
      case F64 -> new DoubleNumbers();
      case I32 -> new IntNumbers();
      case I64 -> new LongNumbers();
    };
  }

  /** An array of zeros. */
  Object allocate(int count);

  /** How many elements an array has. */
  int length(Object array);

  /** Makes some elements zero. */
  void clear(Object array, int from, int to);

  /**
   * {@code to[start + (i - i0) * stride + (j - j0)] = from[base + rows(i) + columns(j)]} for i from
   * i0 to below i1, j from j0 to below j1.
   */
  void gather(
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
      int stride);

  /**
   * {@code to[base + rows(i) + columns(j)] = from[start + (i - i0) * stride + (j - j0)]}, or adds
   * it.
   */
  void scatter(
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
      boolean add);

  /**
   * The part of a product with rows i0 to i1, columns j0 to j1, at most {@link #BLOCK} of them, and
   * steps k0 to k1, stored or added.
   */
  void block(
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
      boolean add);

  /** A whole small product of even positions, each sum by itself, in order of k. */
  void small(Product product, Object a, Object b, Object c);

  /** One row of a product by lanes, steps k0 to k1, stored or added. */
  void lanes(
      LaneProduct product,
      Object a,
      int aStart,
      Object b,
      int bStart,
      Object c,
      int cStart,
      int k0,
      int k1,
      boolean add);

  /** {@code sums[lane] = sum over k of a[k * lanes + lane] * b[k * lanes + lane]}, or adds it. */
  void laneSums(
      Object a,
      int aStart,
      Object b,
      int bStart,
      Object sums,
      int start,
      int lanes,
      int count,
      boolean add);

  /** {@code c[place] = } the sums, halved again and again, and some more products. */
  void total(
      Object sums,
      int start,
      int lanes,
      Object a,
      int aStart,
      Object b,
      int bStart,
      int count,
      Object c,
      int place);
}
