package org.hlo4j.interpreter.compiled.fourier;

import java.util.List;
import org.hlo4j.interpreter.compiled.fourier.ButterflyCode.Factors;
import org.jspecify.annotations.Nullable;

/**
 * Lines side by side, of a length that is a product of small primes: a step of butterflies for each
 * factor, after Stockham, so that numbers come out in order.
 *
 * <pre>
 * n numbers that are left, r the radix, m = n / r, s = length / n
 * to[q + s (r p + j)] = e^(-2 pi i j p / n) sum over k of from[q + s (p + m k)] e^(-2 pi i j k / r)
 * </pre>
 */
final class SmoothColumns implements ColumnTransform {
  private static final int BLOCK_NUMBERS = 1 << 10;
  private static final int MIN_BLOCK = 32;

  private final int length;
  private final int block;
  private final int[] radices;
  private final Steps[] steps;
  private final Grid[] factors;
  private final Steps last;

  SmoothColumns(int length) {
    List<Integer> list = Lengths.radices(length);
    this.length = length;
    this.block = Math.max(MIN_BLOCK, BLOCK_NUMBERS / length / MIN_BLOCK * MIN_BLOCK);
    this.radices = list.stream().mapToInt(i -> i).toArray();
    this.steps = new Steps[radices.length];
    this.factors = new Grid[radices.length];
    int left = length;
    for (int i = 0; i < radices.length; i++) {
      boolean isLast = i == radices.length - 1;
      steps[i] = Steps.butterfly(radices[i], isLast ? Factors.NONE : Factors.OF_PARTS);
      factors[i] = isLast ? Slab.table(1, 1) : factors(left, radices[i]);
      left /= radices[i];
    }
    this.last = Steps.butterfly(radices[radices.length - 1], Factors.OF_NUMBERS);
  }

  private static Grid factors(int left, int radix) {
    int rows = left / radix;
    Grid factors = Slab.table(rows * (radix - 1), radix - 1);
    for (int p = 0; p < rows; p++) {
      for (int j = 1; j < radix; j++) {
        double[] root = Roots.root((long) j * p, left);
        factors.set(p * (radix - 1) + j - 1, root[0], root[1]);
      }
    }
    return factors;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void apply(Grid from, Grid to, int columns, Room room) {
    apply(from, to, columns, null, room);
  }

  /**
   * The same.
   *
   * @param by what results are multiplied by, if by anything
   */
  void apply(Grid from, Grid to, int columns, @Nullable Grid by, Room room) {
    boolean isInPlace = steps.length == 1 && from.array() == to.array();
    Grid source = isInPlace ? copied(from, columns, room) : from;
    for (int first = 0; first < columns; ) {
      int rest = columns - first;
      int many = rest < block + MIN_BLOCK ? rest : block;
      Grid factor = by == null ? null : by.behind(first);
      applyBlock(source.behind(first), to.behind(first), many, factor, room);
      first += many;
    }
  }

  /** A single step would read again what it has written, where columns do not fill vectors. */
  private Grid copied(Grid from, int columns, Room room) {
    Grid copy = room.grid(Room.Use.STEP, length, columns);
    from.copy(copy, length, columns);
    return copy;
  }

  private void applyBlock(Grid from, Grid to, int columns, @Nullable Grid by, Room room) {
    Grid even = room.grid(Room.Use.STEP, length, columns);
    Grid odd = room.grid(Room.Use.OTHER_STEP, length, columns);
    Grid source = from;
    int done = 1;
    int left = length;
    for (int i = 0; i < steps.length; i++) {
      boolean isLast = i == steps.length - 1;
      int radix = radices[i];
      left /= radix;
      Grid target = isLast ? to : i % 2 == 0 ? even : odd;
      int[] places = new int[Places.COUNT];
      if (isLast) {
        places[Places.ROWS] = done;
        places[Places.COLUMNS] = columns;
        places[Places.FROM_ROW] = source.stride();
        places[Places.TO_ROW] = target.stride();
      } else {
        places[Places.ROWS] = left;
        places[Places.COLUMNS] = done * columns;
        places[Places.FROM_ROW] = done * source.stride();
        places[Places.TO_ROW] = done * radix * target.stride();
        places[Places.FACTOR_ROW] = radix - 1;
      }
      places[Places.FROM_PART] = done * left * source.stride();
      places[Places.TO_PART] = done * target.stride();
      run(i, isLast ? by : null, source, target, places, done);
      source = target;
      done *= radix;
    }
  }

  private void run(int step, @Nullable Grid by, Grid from, Grid to, int[] places, int done) {
    Grid factor = factors[step];
    Steps butterflies = steps[step];
    if (by != null) {
      factor = by;
      butterflies = last;
      places[Places.FACTOR_ROW] = by.stride();
      places[Places.FACTOR_PART] = done * by.stride();
    }
    butterflies.run(from, to, factor, places);
  }
}
