package org.hlo4j.interpreter.compiled.copy;

import java.lang.constant.ClassDesc;
import java.lang.reflect.Array;
import org.hlo4j.interpreter.compiled.codegen.VectorClass;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;
import org.jspecify.annotations.Nullable;

/**
 * Transposes grids of one kind of array by squares in vector registers, once these are compiled.
 * Squares begin where lines of the cache do, in both arrays if their rows do so too: the elements
 * of large arrays begin 16 bytes behind the start of a line.
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

  private static final int ENOUGH = 1 << 19;
  private static final int WIDE = 512;
  private static final int HEADER = 128;
  private static final int SQUARES = 16;

  /** Of fewer adjacent squares too much would be left over beside those that begin lines. */
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
    int registers = VectorSupport.bits() >= WIDE ? 16 : 8;
    this.side = Math.min(registers, VectorSupport.width(bits));
    this.order = order();
    this.tiers = new Tiered<>(scalar(), this::made, this::warmup, ENOUGH);
  }

  /** The squares of a kind of array. */
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

  /** Has vectors ready now, slow as they may still be. */
  void prepare() {
    tiers.prepare();
  }

  /** How many elements a side; 1 if there are no vectors. */
  int side() {
    return side;
  }

  int bytes() {
    return bits / Byte.SIZE;
  }

  /** How many elements would lie between the start of a line and that of an array. */
  int shift() {
    return HEADER / bits;
  }

  /** The element type's vectors. */
  ClassDesc vector() {
    return ClassDesc.of("jdk.incubator.vector", title + "Vector");
  }

  ClassDesc array() {
    return element.arrayType().describeConstable().orElseThrow();
  }

  /** The name of the species with a lane for each element of a side. */
  String species() {
    return VectorClass.species(bits * side);
  }

  /** What an array is called whose vectors are interleaved in its place: one of whole numbers. */
  SquareTransposes whole() {
    return switch (this) {
      case FLOAT -> INT;
      case DOUBLE -> LONG;
      case BYTE, SHORT, INT, LONG -> this;
    };
  }

  /** The name of a vector's elements: {@code Ints}. */
  String plural() {
    return title + "s";
  }

  /** The numbers by which two vectors are interleaved, as {@link SquareTranspose} wants them. */
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

  private @Nullable SquareTranspose made() {
    return side * bits < Long.SIZE || side < 2 ? null : SquareTransposeCode.square(this);
  }

  /** Makes a row of squares a column of them. */
  private WarmupInput<SquareTranspose> warmup() {
    int width = SQUARES * side;
    Object from = Array.newInstance(element, width * side);
    Object to = Array.newInstance(element, width * side);
    return (square, iterations) -> {
      int squares = iterations > 0 ? SQUARES : 0;
      square.transpose(from, 0, width, side, to, 0, side, side * side, squares, order);
    };
  }

  /** Transposes a grid, if there is a square in it and vectors are ready; else nothing is done. */
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
    int row = grid.fromColumn() % side == 0 ? untilLine(f, rows) : 0;
    int column = grid.toRow() % side == 0 ? untilLine(t, columns) : 0;
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

  /** How many of some elements lie between a position and the start of the next line. */
  private int untilLine(int position, int count) {
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
