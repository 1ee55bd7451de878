package org.hlo4j.interpreter.compiled.gemm;

import java.util.Locale;
import java.util.Objects;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.Routine;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/**
 * A matrix-vector product, with one vector or a few, where the rows of the matrix are contiguous
 * along the contracting dimension. Nothing is packed but the columns, so that it runs at the speed
 * of memory. Each sum is accumulated in {@link #LANES} partial sums: number l adds, in order, the
 * products l, l + LANES, l + 2 * LANES and so on. A horizontal sum adds them by halving; the
 * products that are left over are added last.
 */
final class Gemv implements GemmAlgorithm, ArrayKernel {
  /** The number of partial sums of an element. It does not depend on the width of vectors. */
  static final int LANES = 32;

  private static final int MAX_COLUMNS = 12;

  /** The limit if the elements of a column are not contiguous, and so slower to pack. */
  private static final int MAX_STRIDED_COLUMNS = 8;

  private static final int MIN_STEPS = 2 * LANES;

  /** The minimum for a single contiguous column, which is not packed. */
  private static final int MIN_STEPS_IN_PLACE = LANES;

  /**
   * The minimum of steps for each column. A horizontal sum takes as long as packing this number of
   * elements, which it saves.
   */
  private static final int MIN_STEPS_OF_COLUMN = 20;

  private static final int MAX_ROWS = 4;
  private static final int ROWS_OF_CHUNK = 64;

  /**
   * The maximum number of rows of a chunk. It has more than {@link #ROWS_OF_CHUNK} if they are
   * short, up to this number and to {@link #ELEMENTS_OF_CHUNK} elements.
   */
  private static final int MAX_ROWS_OF_CHUNK = 4 * ROWS_OF_CHUNK;

  private static final int ELEMENTS_OF_CHUNK = 32 * 1024;

  /**
   * The number of horizontal sums to compute together. The rows that this takes are rounded down to
   * a multiple of {@link #MIN_ROWS}.
   */
  private static final int MIN_SUMS = 64;

  private static final int MIN_ROWS = 16;

  /** The number of steps for which a few packed columns stay in the L1 cache. */
  private static final int STEPS_OF_SOME = 64;

  /** Padding of widened rows, which keeps them out of the same cache sets. */
  private static final int PADDING = 16;

  /**
   * Fewer multiply-adds take a few microseconds, which is the time that it takes to wake another
   * thread.
   */
  private static final double ON_ONE_THREAD = 250_000;

  private final AccumulatorType carrier;
  private final GemmProblem product;
  private final boolean swapped;
  private final GemmArithmetic arithmetic;
  private final @Nullable Widenings widenings;
  private final GemvColumns columns;
  private final KBlocks steps;
  private final int rowsAtOnce;
  private final @Nullable MicroKernelShape form;
  private final @Nullable MicroKernel[][] tiles;
  private final HorizontalSums halvings;

  /** Whether the horizontal sums are the result itself, stored contiguously. */
  private final boolean isStoredAsHalved;

  private final @Nullable ShortRowGemv oneColumn;

  private Gemv(
      AccumulatorType carrier,
      GemmProblem product,
      boolean swapped,
      @Nullable Widenings widenings) {
    this.carrier = carrier;
    this.product = product;
    this.swapped = swapped;
    this.widenings = widenings;
    this.arithmetic = GemmArithmetic.of(carrier);
    this.columns = new GemvColumns(product, LANES);
    int count = product.k() / LANES;
    int most = columns.isInPlace() && widenings == null ? KBlocks.MAX : STEPS_OF_SOME;
    this.steps = KBlocks.of(count, Math.max(1, count), most);
    int rows = MIN_SUMS / product.columns() / MIN_ROWS * MIN_ROWS;
    this.rowsAtOnce = widenings == null ? Math.max(MIN_ROWS, rows) : MIN_ROWS;
    this.form = VectorSupport.isOn() ? form(carrier, columns.atOnce()) : null;
    this.tiles = new @Nullable MicroKernel[MAX_ROWS + 1][columns.atOnce() + 1];
    this.halvings = HorizontalSums.of(carrier);
    this.isStoredAsHalved =
        product.columns() == 1 && product.k() % LANES == 0 && product.rowsC().isContiguous();
    this.oneColumn =
        isStoredAsHalved && widenings == null ? ShortRowGemv.of(carrier, product) : null;
    isReady();
  }

  /**
   * Returns the algorithm for a product of this kind, or of this kind with rows and columns
   * exchanged; null for another product.
   *
   * @param left widens the left side, if it has a narrow type; otherwise null
   * @param right widens the right side, if it has a narrow type; otherwise null
   */
  static @Nullable Gemv of(
      AccumulatorType carrier,
      GemmProblem product,
      @Nullable Widenings left,
      @Nullable Widenings right) {
    if (fits(product)) {
      return new Gemv(carrier, product, false, left);
    }
    return fits(product.transposed()) ? new Gemv(carrier, product.transposed(), true, right) : null;
  }

  /** {@return whether there is an algorithm for a product} */
  static boolean fitsEitherWay(GemmProblem product) {
    return fits(product) || fits(product.transposed());
  }

  private static boolean fits(GemmProblem product) {
    boolean isContiguous = product.stepsB().isContiguous();
    int most = isContiguous ? MAX_COLUMNS : MAX_STRIDED_COLUMNS;
    int least = isContiguous && product.columns() == 1 ? MIN_STEPS_IN_PLACE : MIN_STEPS;
    return product.columns() <= Math.min(most, product.rows())
        && product.k() >= Math.max(least, MIN_STEPS_OF_COLUMN * product.columns())
        && product.stepsA().isContiguous()
        && product.stepsB().hasConstantStride()
        && product.rowsA().hasConstantStride()
        && product.work() > 0;
  }

  /**
   * {@return the shape of the tiles, with as many rows as there are accumulators for in half of the
   * registers; it divides the number of rows that are computed at once}
   */
  private static MicroKernelShape form(AccumulatorType carrier, int columns) {
    int lanes = VectorSupport.bits() / carrier.bits();
    int vectors = LANES / lanes;
    int registers = VectorSupport.bits() == 512 ? 32 : 16;
    int rows = Integer.highestOneBit(Math.max(1, registers / 2 / (vectors * columns)));
    return new MicroKernelShape(
        carrier, lanes, Math.min(MAX_ROWS, rows), vectors, LANES, true, columns * LANES, columns);
  }

  @Override
  public Routine on(Object[] operands, Object[] results, KernelContext context) {
    return () -> run(operands[0], operands[1], results[0], context, Epilogue.NONE);
  }

  @Override
  public void prepare() {
    isReady();
    MicroKernels.await();
  }

  @Override
  public boolean isReady() {
    if (form == null) {
      return false;
    }
    boolean all = oneColumn == null || oneColumn.isReady();
    int rest = product.rows() % form.rows();
    for (int rows : new int[] {Math.min(form.rows(), product.rows()), rest}) {
      for (int group : new int[] {0, columns.groups() - 1}) {
        int count = columns.count(group);
        if (rows > 0 && tiles[rows][count] == null) {
          tiles[rows][count] = MicroKernels.ready(form.withRowsAndColumns(rows, count));
          all &= tiles[rows][count] != null;
        }
      }
    }
    return all;
  }

  @Override
  public void run(Object a, Object b, Object c, KernelContext context, Epilogue finish) {
    boolean ready = isReady();
    Object left = swapped ? b : a;
    Object right = swapped ? a : b;
    if (columns.isInPlace()) {
      multiply(left, right, right, c, context, ready);
      return;
    }
    AlignedBuffer area = SharedWorkspace.borrow(carrier, columns.size());
    columns.pack(MatrixCopies.of(carrier), right, area.array(), context);
    multiply(left, right, area.array(), c, context, ready);
    SharedWorkspace.giveBack(carrier, area);
  }

  @Override
  public boolean widensLeft() {
    return !swapped && widenings != null;
  }

  @Override
  public boolean widensRight() {
    return swapped && widenings != null;
  }

  private void multiply(
      Object left, Object right, Object packed, Object c, KernelContext context, boolean ready) {
    long elements = Math.max(1, (long) product.k() * product.columns());
    int rowsOfChunk =
        Math.clamp(ELEMENTS_OF_CHUNK / elements, ROWS_OF_CHUNK, MAX_ROWS_OF_CHUNK)
            / ROWS_OF_CHUNK
            * ROWS_OF_CHUNK;
    int pieces = Math.ceilDiv(product.rows(), rowsOfChunk);
    ParallelChunks.run(
        context,
        product.work() < ON_ONE_THREAD,
        product.batches() * pieces,
        chunk -> {
          context.checkLimits();
          int i0 = chunk % pieces * rowsOfChunk;
          int i1 = Math.min(product.rows(), i0 + rowsOfChunk);
          int batch = chunk / pieces;
          GemmMatrices matrices = GemmMatrices.of(product, left, right, c, Epilogue.NONE, batch);
          int first = i0;
          if (oneColumn != null) {
            int column = columns.place(batch, 0, 0);
            first += oneColumn.run(matrices, packed, column, i0, i1 - i0);
          }
          for (int i = first; i < i1; i += rowsAtOnce) {
            new Rows(matrices, packed, batch, i, Math.min(i1, i + rowsAtOnce), ready).run();
          }
        });
  }

  /** The computation of some rows of the result. */
  private final class Rows {
    private final GemmMatrices matrices;
    private final Object packed;
    private final int batch;
    private final int i0;
    private final int i1;
    private final boolean ready;
    private final int count;
    private final Object sums;
    private Object left;
    private int leftStart;
    private int leftApart;

    Rows(GemmMatrices matrices, Object packed, int batch, int i0, int i1, boolean ready) {
      this.matrices = matrices;
      this.packed = packed;
      this.batch = batch;
      this.i0 = i0;
      this.i1 = i1;
      this.ready = ready;
      this.count = (i1 - i0) * product.columns();
      this.sums = ThreadWorkspace.of(carrier).result(count * (LANES + 1));
      this.left = matrices.a();
    }

    /** Visits a tile of rows and columns; {@code number} sums precede it. */
    private interface Visit {
      void tile(int i, int rows, int group, int number);
    }

    /** Visits all tiles in the order in which their sums are stored. */
    private void forEach(Visit visit) {
      int most = form == null ? 1 : form.rows();
      int number = 0;
      for (int group = 0; group < columns.groups(); group++) {
        for (int i = i0, rows; i < i1; i += rows) {
          rows = Math.min(most, i1 - i);
          visit.tile(i, rows, group, number);
          number += rows * columns.count(group);
        }
      }
    }

    void run() {
      for (int block = 0; block < steps.count(); block++) {
        int k0 = steps.start(block);
        int k1 = steps.end(block);
        read(k0 * LANES, k1 * LANES);
        if (ready) {
          tiles(k0, k1);
        } else {
          forEach((i, rows, group, number) -> plain(i, rows, group, number, k0, k1));
        }
      }
      if (isStoredAsHalved) {
        int to = matrices.cBase() + product.rowsC().at(i0);
        halvings.run(sums, 0, count, matrices.c(), to);
        return;
      }
      halvings.run(sums, 0, count, sums, count * LANES);
      read(product.k() / LANES * LANES, product.k());
      forEach(this::store);
    }

    /**
     * Makes steps of the rows available to the tiles: in place, or widened into the workspace. They
     * need no widening if another part of the same product had the operand widened already.
     */
    private void read(int k0, int k1) {
      int apart = product.rowsA().stride();
      int start = matrices.aBase() + product.rowsA().at(i0) + k0;
      if (widenings == null || matrices.a() instanceof float[]) {
        leftStart = start;
        leftApart = apart;
        return;
      }
      leftApart = k1 - k0 + PADDING;
      left = ThreadWorkspace.of(carrier).area((i1 - i0) * leftApart).array();
      widenings.run(matrices.a(), start, apart, i1 - i0, k1 - k0, left, 0, leftApart);
    }

    /** Runs the tiles in the order of {@link #forEach}, with little overhead for each tile. */
    private void tiles(int k0, int k1) {
      int most = Objects.requireNonNull(form).rows();
      int to = 0;
      for (int group = 0; group < columns.groups(); group++) {
        int each = columns.count(group);
        int right = columns.place(batch, group, k0);
        for (int i = i0; i < i1; i += most) {
          int rows = Math.min(most, i1 - i);
          int start = leftStart + (i - i0) * leftApart;
          Objects.requireNonNull(tiles[rows][each])
              .run(left, start, leftApart, packed, right, sums, to, LANES, k1 - k0, k0 > 0);
          to += rows * each * LANES;
        }
      }
    }

    private void plain(int i, int rows, int group, int number, int k0, int k1) {
      int each = columns.count(group);
      for (int r = 0; r < rows; r++) {
        int start = leftStart + (i + r - i0) * leftApart;
        for (int x = 0; x < each; x++) {
          int right = columns.place(batch, group, k0) + x * LANES;
          int to = (number + r * each + x) * LANES;
          GemmMatrices parts =
              new GemmMatrices(left, start, packed, right, sums, to, Epilogue.NONE);
          arithmetic.laneSums(parts, LANES, each * LANES, k1 - k0, k0 > 0);
        }
      }
    }

    /** Adds the products that are left over and stores the sums in the result. */
    private void store(int i, int rows, int group, int number) {
      int j = group * columns.atOnce();
      int j1 = j + columns.count(group);
      MatrixPart part = new MatrixPart(product.rowsC(), i, i + rows, product.columnsC(), j, j1);
      int from = product.k() / LANES * LANES;
      int start = leftStart + (i - i0) * leftApart;
      int strideB = product.stepsB().stride();
      int right = matrices.bBase() + from * strideB;
      GemmMatrices rest =
          new GemmMatrices(
              left, start, matrices.b(), right, matrices.c(), matrices.cBase(), Epilogue.NONE);
      DimensionOffsets columnsB = product.columnsB();
      int more = product.k() - from;
      arithmetic.addRemainder(
          rest, leftApart, columnsB, strideB, more, part, sums, count * LANES + number);
    }
  }

  @Override
  public boolean hasRows() {
    return false;
  }

  @Override
  public int columns() {
    return product.columns();
  }

  @Override
  public String toString() {
    String how = form == null ? "plain loops" : "vectors of " + form.lanes();
    String type = carrier.toString().toLowerCase(Locale.ROOT);
    return "gemm "
        + type
        + " "
        + (swapped ? product.transposed() : product)
        + " by rows, "
        + how
        + (widenings == null ? "" : ", widened as they are read");
  }
}
