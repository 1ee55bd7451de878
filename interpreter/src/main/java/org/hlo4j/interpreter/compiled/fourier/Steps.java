package org.hlo4j.interpreter.compiled.fourier;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.lanes.Lanes;
import org.hlo4j.interpreter.compiled.lanes.VectorSupport;
import org.hlo4j.interpreter.compiled.tiers.Practice;
import org.hlo4j.interpreter.compiled.tiers.Tiered;

/**
 * One kind of step, of single elements and, once these are compiled, of vectors. Where columns do
 * not fill vectors, the last vector overlaps the one before it: nothing is written that is read.
 */
final class Steps {
  private static final int WIDTH = VectorSupport.width(Double.SIZE);
  private static final int ENOUGH = 1 << 16;
  private static final int PRACTICE_ROWS = 8;
  private static final int PRACTICE_ARRAY = 4096;

  private static final ConcurrentMap<List<Object>, Steps> BUTTERFLIES = new ConcurrentHashMap<>();
  static final Steps READ_F32 = reading(ElementType.F32);
  static final Steps READ_F64 = reading(ElementType.F64);
  static final Steps WRITE_F32 = writing(ElementType.F32);
  static final Steps WRITE_F64 = writing(ElementType.F64);
  private static final Steps ITERATION =
      new Steps(
          "Turn", TurningCode::new, new ElementType[] {ElementType.F64, ElementType.F64}, 1, 1, 0);
  private static final Steps MIRROR =
      new Steps("Mirror", MirroringCode::new, threeArrays(), 1, 1, 1);

  private final Tiered<Step> tiers;
  private final int fromUnit;
  private final int toUnit;
  private final int factorUnit;

  private Steps(
      String name,
      Function<Lanes, StepCode> code,
      ElementType[] arrays,
      int fromUnit,
      int toUnit,
      int factorUnit) {
    Consumer<Lanes> writing = lanes -> code.apply(lanes).write();
    this.tiers =
        Tiered.of(Step.class, "Fft" + name, writing, WIDTH, () -> practice(arrays), ENOUGH);
    this.fromUnit = fromUnit;
    this.toUnit = toUnit;
    this.factorUnit = factorUnit;
  }

  private static ElementType[] threeArrays() {
    ElementType f64 = ElementType.F64;
    return new ElementType[] {f64, f64, f64};
  }

  /** The butterflies of so many parts. */
  static Steps butterfly(int radix, ButterflyCode.Factors factors) {
    return BUTTERFLIES.computeIfAbsent(
        List.of(radix, factors),
        any ->
            new Steps(
                "Butterfly" + radix + factors,
                lanes -> new ButterflyCode(lanes, radix, factors),
                threeArrays(),
                1,
                1,
                factors == ButterflyCode.Factors.OF_NUMBERS ? 1 : 0));
  }

  private static Steps reading(ElementType type) {
    ElementType[] arrays = {type, ElementType.F64};
    return new Steps("Read" + type, lanes -> new ReadingCode(lanes, type), arrays, 2, 1, 0);
  }

  private static Steps writing(ElementType type) {
    ElementType[] arrays = {ElementType.F64, type, ElementType.F64};
    return new Steps("Write" + type, lanes -> new WritingCode(lanes, type), arrays, 1, 2, 0);
  }

  private static Practice<Step> practice(ElementType... types) {
    Object[] arrays = new Object[types.length];
    for (int i = 0; i < arrays.length; i++) {
      boolean isSingle = types[i] == ElementType.F32;
      arrays[i] = isSingle ? new float[PRACTICE_ARRAY] : new double[PRACTICE_ARRAY];
    }
    int columns = 2 * WIDTH;
    int[] places = new int[Places.COUNT];
    places[Places.COLUMNS] = columns;
    places[Places.FROM_ROW] = columns;
    places[Places.TO_ROW] = columns;
    places[Places.FROM_PART] = PRACTICE_ROWS * columns;
    places[Places.TO_PART] = PRACTICE_ROWS * columns;
    places[Places.FACTOR_PART] = columns;
    return (step, iterations) -> {
      places[Places.ROW] = Math.min(iterations, 0) * -1;
      places[Places.ROWS] = iterations > 0 ? PRACTICE_ROWS : 0;
      step.run(arrays, places);
    };
  }

  /** Has vectors ready now, slow as they may still be, of all there is so far. */
  static void prepare() {
    for (Steps steps : List.of(READ_F32, READ_F64, WRITE_F32, WRITE_F64, ITERATION, MIRROR)) {
      steps.tiers.prepare();
    }
    BUTTERFLIES.values().forEach(steps -> steps.tiers.prepare());
  }

  /**
   * Does it.
   *
   * @param places how far apart numbers lie; where they begin is filled in
   */
  void run(Grid from, Grid to, Grid factors, int[] places) {
    places[Places.FROM] = from.at();
    places[Places.FROM_SHIFT] = from.shift();
    places[Places.TO] = to.at();
    places[Places.TO_SHIFT] = to.shift();
    places[Places.FACTOR] = factors.at();
    places[Places.FACTOR_SHIFT] = factors.shift();
    run(new Object[] {from.array(), to.array(), factors.array()}, places);
  }

  private void run(Object[] arrays, int[] places) {
    int columns = places[Places.COLUMNS];
    Step vectors = columns < WIDTH ? null : tiers.second((long) places[Places.ROWS] * columns);
    if (vectors == null) {
      tiers.first().run(arrays, places);
      return;
    }
    int whole = columns - columns % WIDTH;
    places[Places.COLUMNS] = whole;
    vectors.run(arrays, places);
    if (whole < columns) {
      int shift = columns - WIDTH;
      places[Places.COLUMNS] = WIDTH;
      places[Places.FROM] += shift * fromUnit;
      places[Places.FROM_PART] -= this == MIRROR ? shift : 0;
      places[Places.TO] += shift * toUnit;
      places[Places.FACTOR] += shift * factorUnit;
      vectors.run(arrays, places);
    }
  }

  /**
   * Takes rows of complex numbers apart.
   *
   * @param from an array of floats or doubles, pairs of which are numbers
   * @param f where in it the first row begins
   * @param stride how far behind the next one does
   */
  static void read(Object from, int f, int stride, Grid to, int rows, int columns) {
    int[] places = Places.of(rows, columns);
    places[Places.FROM] = f;
    places[Places.FROM_ROW] = stride;
    places[Places.TO] = to.at();
    places[Places.TO_SHIFT] = to.shift();
    places[Places.TO_ROW] = to.stride();
    Steps steps = from instanceof float[] ? READ_F32 : READ_F64;
    steps.run(new Object[] {from, to.array()}, places);
  }

  /** The other way round, all multiplied by a number. */
  static void write(Grid from, Object to, int t, int stride, int rows, int columns, double by) {
    int[] places = Places.of(rows, columns);
    places[Places.FROM] = from.at();
    places[Places.FROM_SHIFT] = from.shift();
    places[Places.FROM_ROW] = from.stride();
    places[Places.TO] = t;
    places[Places.TO_ROW] = stride;
    Steps steps = to instanceof float[] ? WRITE_F32 : WRITE_F64;
    steps.run(new Object[] {from.array(), to, new double[] {by}}, places);
  }

  /** Rows to columns. */
  static void iteration(Grid source, Grid target, int rows, int columns) {
    Object[] arrays = {source.array(), target.array()};
    boolean fits = rows >= WIDTH && columns >= WIDTH;
    Step vectors = fits ? ITERATION.tiers.second((long) rows * columns) : null;
    Step step = vectors == null ? ITERATION.tiers.first() : vectors;
    int side = vectors == null ? 1 : WIDTH;
    int wholeRows = rows - rows % side;
    int wholeColumns = columns - columns % side;
    int[] places = new int[Places.COUNT];
    places[Places.FROM_SHIFT] = source.shift();
    places[Places.TO_SHIFT] = target.shift();
    places[Places.FROM_PART] = source.stride();
    places[Places.TO_PART] = target.stride();
    for (int row = 0; row < rows; row = row < wholeRows ? wholeRows : rows) {
      int firstRow = row < wholeRows ? 0 : rows - side;
      for (int column = 0;
          column < columns;
          column = column < wholeColumns ? wholeColumns : columns) {
        int firstColumn = column < wholeColumns ? 0 : columns - side;
        places[Places.ROWS] = row < wholeRows ? wholeRows : side;
        places[Places.COLUMNS] = column < wholeColumns ? wholeColumns : side;
        places[Places.FROM] = source.at() + firstRow * source.stride() + firstColumn;
        places[Places.TO] = target.at() + firstColumn * target.stride() + firstRow;
        step.run(arrays, places);
      }
    }
  }

  /** As {@link MirroringCode} has it; opposite is where the number opposite to the first lies. */
  static void mirror(Grid from, int opposite, Grid to, Grid factors, int count) {
    int[] places = Places.of(1, count);
    places[Places.FROM_PART] = opposite;
    MIRROR.run(from, to, factors, places);
  }
}
