package org.hlo4j.interpreter.compiled.copy;

import java.lang.constant.ClassDesc;
import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.jspecify.annotations.Nullable;

/**
 * Transposes of grids of one kind of array, by square blocks in vector registers once C2 has
 * compiled them. Squares begin at the start of cache lines, in both arrays if the start of their
 * rows allows it. The elements of large arrays begin 16 bytes after the start of a line.
 */
@SuppressWarnings("ImmutableEnumChecker") // descriptors and tiers do not show change
enum SquareTransposes {
  /** {@code byte[]} */
  BYTE("Byte", byte.class, 8),
  /** {@code short[]} */
  SHORT("Short", short.class, 16),
  /** {@code int[]} */
  INT("Int", int.class, 32),
  /** {@code long[]} */
  LONG("Long", long.class, 64),
  /** {@code float[]} */
  FLOAT("Float", float.class, 32),
  /** {@code double[]} */
  DOUBLE("Double", double.class, 64);

  private static final int MIN_VECTOR_WORK = 1 << 19;
  private static final int HEADER = 128;
  private static final int SQUARES = 16;

  /**
   * The minimum number of adjacent squares to align. With fewer, too many elements would be left
   * over before and after the aligned squares.
   */
  private static final int MIN_ALIGNED = 4;

  private final String title;
  private final Class<?> element;
  private final int bits;
  private final int side;
  private final Object order;
  private final Tiered<SquareTranspose> tiers;

  SquareTransposes(String title, Class<?> element, int bits) {
    this.title = title;
    this.element = element;
    this.bits = bits;
    this.side = Math.min(Machine.registers() / 2, Machine.width(bits));
    this.order = order();
    this.tiers =
        CodeBudget.shared(
            () -> new Tiered<>(scalar(), this::generate, this::warmup, MIN_VECTOR_WORK));
  }

  /** Returns the squares for a kind of array. */
  static SquareTransposes of(Object array) {
    return switch (array) {
      case byte[] _ -> BYTE;
      case short[] _ -> SHORT;
      case int[] _ -> INT;
      case long[] _ -> LONG;
      case float[] _ -> FLOAT;
      case double[] _ -> DOUBLE;
      default -> throw new AssertionError(array.getClass());
    };
  }

  /** Makes the vector form ready now, although it may still be slow. */
  void prepare() {
    tiers.prepare();
  }

  /** Returns the number of elements of a side; 1 if there are no vectors. */
  int side() {
    return side;
  }

  int bytes() {
    return bits / Byte.SIZE;
  }

  /** Returns the number of elements between the start of a cache line and that of an array. */
  int shift() {
    return HEADER / bits;
  }

  /** Returns the class of vectors of the element type. */
  ClassDesc vector() {
    return ClassDesc.of("jdk.incubator.vector", title + "Vector");
  }

  ClassDesc array() {
    return element.arrayType().describeConstable().orElseThrow();
  }

  /** Returns the name of the species with a lane for each element of a side. */
  String species() {
    return VectorClass.species(bits * side);
  }

  /**
   * Returns the kind with integers of the same width, whose vectors are shuffled in place of this
   * kind.
   */
  SquareTransposes integerKind() {
    return switch (this) {
      case FLOAT -> INT;
      case DOUBLE -> LONG;
      case BYTE, SHORT, INT, LONG -> this;
    };
  }

  /** Returns the name of the elements of a vector, such as {@code Ints}. */
  String plural() {
    return title + "s";
  }

  /** Returns the shuffle indices that interleave two vectors, as in {@link SquareTranspose}. */
  private Object order() {
    Object numbers =
        switch (bits) {
          case Long.SIZE -> new long[2 * side];
          case Integer.SIZE -> new int[2 * side];
          case Short.SIZE -> new short[2 * side];
          default -> new byte[2 * side];
        };
    for (int i = 0; i < 2 * side; i++) {
      Array.setByte(numbers, i, (byte) (i / 2 + i % 2 * side));
    }
    return numbers;
  }

  private SquareTranspose scalar() {
    return (from, f, fromStride, fromStep, to, t, toStride, toStep, count, order) -> {
      CellCopies cells = CellCopies.of(element);
      CopyGrid grid = new CopyGrid(side, side, 1, 1, fromStride, toStride, 1);
      for (int k = 0; k < count; k++) {
        cells.tile(grid, side, side, from, f + k * fromStep, to, t + k * toStep);
      }
    };
  }

  private @Nullable SquareTranspose generate() {
    return side * bits < Long.SIZE || side < 2 ? null : SquareTransposeCode.generate(this);
  }

  /** Returns the warm-up, which transposes a row of squares into a column of squares. */
  private WarmupInput<SquareTranspose> warmup() {
    int width = SQUARES * side;
    Object from = Array.newInstance(element, width * side);
    Object to = Array.newInstance(element, width * side);
    return (square, iterations) -> {
      int squares = iterations > 0 ? SQUARES : 0;
      square.transpose(from, 0, width, side, to, 0, side, side * side, squares, order);
    };
  }

  /**
   * Transposes a grid, if it contains a square and vectors are ready. Returns false, and does
   * nothing, otherwise.
   */
  boolean transpose(
      CellCopies cells,
      CopyGrid grid,
      int rows,
      int columns,
      Object from,
      int f,
      Object to,
      int t) {
    boolean fits = rows >= side && columns >= side && rows < side * SquareTransposeCode.MAX_STEPS;
    SquareTranspose square = !fits ? null : tiers.second((long) rows * columns);
    if (square == null) {
      return false;
    }
    int row = grid.fromColumn() % side == 0 ? elementsToCacheLine(f, rows) : 0;
    int column = grid.toRow() % side == 0 ? elementsToCacheLine(t, columns) : 0;
    int squares = (rows - row) / side;
    int end = row + squares * side;
    edge(cells, grid, 0, row, 0, columns, from, f, to, t);
    edge(cells, grid, end, rows, 0, columns, from, f, to, t);
    edge(cells, grid, row, end, 0, column, from, f, to, t);
    for (; column + side <= columns; column += side) {
      square.transpose(
          from,
          f + row + column * grid.fromColumn(),
          grid.fromColumn(),
          side,
          to,
          t + row * grid.toRow() + column,
          grid.toRow(),
          side * grid.toRow(),
          squares,
          order);
    }
    edge(cells, grid, row, end, column, columns, from, f, to, t);
    return true;
  }

  /**
   * Returns how many of {@code count} elements come before the start of the next cache line, or 0
   * if there are too few to align.
   */
  private int elementsToCacheLine(int position, int count) {
    return count < MIN_ALIGNED * side ? 0 : Math.floorMod(-shift() - position, side);
  }

  private static void edge(
      CellCopies cells,
      CopyGrid grid,
      int row,
      int end,
      int column,
      int last,
      Object from,
      int f,
      Object to,
      int t) {
    if (row < end && column < last) {
      int source = f + row + column * grid.fromColumn();
      int target = t + row * grid.toRow() + column;
      cells.tiles(grid, end - row, last - column, from, source, to, target);
    }
  }
}
