package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A kind of step in two tiers: in scalar code first and, once C2 has compiled it, in vector code.
 * Where the number of columns is not a multiple of the vector width, the last vector overlaps the
 * one before it. This requires that a step does not write to its input.
 */
final class FftSteps {
  private static final int WIDTH = VectorSupport.width(Double.SIZE);
  private static final int ENOUGH = 1 << 16;
  private static final int WARMUP_ROWS = 8;
  private static final int WARMUP_ARRAY = 4096;

  private static final ConcurrentMap<List<Object>, FftSteps> BUTTERFLIES =
      new ConcurrentHashMap<>();
  static final FftSteps READ_F32 = reading(ElementType.F32);
  static final FftSteps READ_F64 = reading(ElementType.F64);
  static final FftSteps WRITE_F32 = writing(ElementType.F32);
  static final FftSteps WRITE_F64 = writing(ElementType.F64);
  private static final FftSteps ITERATION =
      new FftSteps(
          "Transpose",
          TransposeCode::new,
          new ElementType[] {ElementType.F64, ElementType.F64},
          1,
          1,
          0);
  private static final FftSteps MIRROR =
      new FftSteps("Mirror", MirroringCode::new, threeArrays(), 1, 1, 1);

  private final Tiered<FftStep> tiers;
  private final int fromUnit;
  private final int toUnit;
  private final int factorUnit;

  private FftSteps(
      String name,
      Function<CodeEmitter, FftStepCode> code,
      ElementType[] arrays,
      int fromUnit,
      int toUnit,
      int factorUnit) {
    Consumer<CodeEmitter> writing = emitter -> code.apply(emitter).write();
    this.tiers =
        Tiered.of(FftStep.class, "Fft" + name, writing, WIDTH, () -> warmup(arrays), ENOUGH);
    this.fromUnit = fromUnit;
    this.toUnit = toUnit;
    this.factorUnit = factorUnit;
  }

  private static ElementType[] threeArrays() {
    ElementType f64 = ElementType.F64;
    return new ElementType[] {f64, f64, f64};
  }

  /** Returns the butterflies of a radix. */
  static FftSteps butterfly(int radix, ButterflyCode.Factors factors) {
    return BUTTERFLIES.computeIfAbsent(
        List.of(radix, factors),
        any ->
            new FftSteps(
                "Butterfly" + radix + factors,
                emitter -> new ButterflyCode(emitter, radix, factors),
                threeArrays(),
                1,
                1,
                factors == ButterflyCode.Factors.OF_NUMBERS ? 1 : 0));
  }

  private static FftSteps reading(ElementType type) {
    ElementType[] arrays = {type, ElementType.F64};
    return new FftSteps("Read" + type, emitter -> new ReadingCode(emitter, type), arrays, 2, 1, 0);
  }

  private static FftSteps writing(ElementType type) {
    ElementType[] arrays = {ElementType.F64, type, ElementType.F64};
    return new FftSteps("Write" + type, emitter -> new WritingCode(emitter, type), arrays, 1, 2, 0);
  }

  private static WarmupInput<FftStep> warmup(ElementType... types) {
    Object[] arrays = new Object[types.length];
    for (int i = 0; i < arrays.length; i++) {
      boolean isSingle = types[i] == ElementType.F32;
      arrays[i] = isSingle ? new float[WARMUP_ARRAY] : new double[WARMUP_ARRAY];
    }
    int columns = 2 * WIDTH;
    int[] places = new int[StepArguments.COUNT];
    places[StepArguments.COLUMNS] = columns;
    places[StepArguments.FROM_ROW] = columns;
    places[StepArguments.TO_ROW] = columns;
    places[StepArguments.FROM_PART] = WARMUP_ROWS * columns;
    places[StepArguments.TO_PART] = WARMUP_ROWS * columns;
    places[StepArguments.FACTOR_PART] = columns;
    return (step, iterations) -> {
      places[StepArguments.ROW] = Math.min(iterations, 0) * -1;
      places[StepArguments.ROWS] = iterations > 0 ? WARMUP_ROWS : 0;
      step.run(arrays, places);
    };
  }

  /**
   * Makes the vector form of all steps that exist so far available now, although C2 has not
   * compiled it yet.
   */
  static void prepare() {
    for (FftSteps steps : List.of(READ_F32, READ_F64, WRITE_F32, WRITE_F64, ITERATION, MIRROR)) {
      steps.tiers.prepare();
    }
    BUTTERFLIES.values().forEach(steps -> steps.tiers.prepare());
  }

  /**
   * Runs the step.
   *
   * @param places the sizes and strides; the offsets are filled in here
   */
  void run(FftGrid from, FftGrid to, FftGrid factors, int[] places) {
    places[StepArguments.FROM] = from.at();
    places[StepArguments.FROM_SHIFT] = from.shift();
    places[StepArguments.TO] = to.at();
    places[StepArguments.TO_SHIFT] = to.shift();
    places[StepArguments.FACTOR] = factors.at();
    places[StepArguments.FACTOR_SHIFT] = factors.shift();
    run(new Object[] {from.array(), to.array(), factors.array()}, places);
  }

  private void run(Object[] arrays, int[] places) {
    int columns = places[StepArguments.COLUMNS];
    FftStep vectors =
        columns < WIDTH ? null : tiers.second((long) places[StepArguments.ROWS] * columns);
    if (vectors == null) {
      tiers.first().run(arrays, places);
      return;
    }
    int whole = columns - columns % WIDTH;
    places[StepArguments.COLUMNS] = whole;
    vectors.run(arrays, places);
    if (whole < columns) {
      int shift = columns - WIDTH;
      places[StepArguments.COLUMNS] = WIDTH;
      places[StepArguments.FROM] += shift * fromUnit;
      places[StepArguments.FROM_PART] -= this == MIRROR ? shift : 0;
      places[StepArguments.TO] += shift * toUnit;
      places[StepArguments.FACTOR] += shift * factorUnit;
      vectors.run(arrays, places);
    }
  }

  /**
   * Splits rows of complex numbers into real and imaginary parts.
   *
   * @param from an array of floats or doubles with interleaved real and imaginary parts
   * @param f the index in it at which the first row begins
   * @param stride the distance between the starts of two rows in it
   */
  static void read(Object from, int f, int stride, FftGrid to, int rows, int columns) {
    int[] places = StepArguments.of(rows, columns);
    places[StepArguments.FROM] = f;
    places[StepArguments.FROM_ROW] = stride;
    places[StepArguments.TO] = to.at();
    places[StepArguments.TO_SHIFT] = to.shift();
    places[StepArguments.TO_ROW] = to.stride();
    FftSteps steps = from instanceof float[] ? READ_F32 : READ_F64;
    steps.run(new Object[] {from, to.array()}, places);
  }

  /**
   * Interleaves the real and imaginary parts of rows, multiplied by {@code by}: the reverse of
   * {@link #read}.
   */
  static void write(FftGrid from, Object to, int t, int stride, int rows, int columns, double by) {
    int[] places = StepArguments.of(rows, columns);
    places[StepArguments.FROM] = from.at();
    places[StepArguments.FROM_SHIFT] = from.shift();
    places[StepArguments.FROM_ROW] = from.stride();
    places[StepArguments.TO] = t;
    places[StepArguments.TO_ROW] = stride;
    FftSteps steps = to instanceof float[] ? WRITE_F32 : WRITE_F64;
    steps.run(new Object[] {from.array(), to, new double[] {by}}, places);
  }

  /** Transposes a matrix of {@code rows} rows and {@code columns} columns. */
  static void transpose(FftGrid source, FftGrid target, int rows, int columns) {
    Object[] arrays = {source.array(), target.array()};
    boolean fits = rows >= WIDTH && columns >= WIDTH;
    FftStep vectors = fits ? ITERATION.tiers.second((long) rows * columns) : null;
    FftStep step = vectors == null ? ITERATION.tiers.first() : vectors;
    int side = vectors == null ? 1 : WIDTH;
    int wholeRows = rows - rows % side;
    int wholeColumns = columns - columns % side;
    int[] places = new int[StepArguments.COUNT];
    places[StepArguments.FROM_SHIFT] = source.shift();
    places[StepArguments.TO_SHIFT] = target.shift();
    places[StepArguments.FROM_PART] = source.stride();
    places[StepArguments.TO_PART] = target.stride();
    for (int row = 0; row < rows; row = row < wholeRows ? wholeRows : rows) {
      int firstRow = row < wholeRows ? 0 : rows - side;
      for (int column = 0;
          column < columns;
          column = column < wholeColumns ? wholeColumns : columns) {
        int firstColumn = column < wholeColumns ? 0 : columns - side;
        places[StepArguments.ROWS] = row < wholeRows ? wholeRows : side;
        places[StepArguments.COLUMNS] = column < wholeColumns ? wholeColumns : side;
        places[StepArguments.FROM] = source.at() + firstRow * source.stride() + firstColumn;
        places[StepArguments.TO] = target.at() + firstColumn * target.stride() + firstRow;
        step.run(arrays, places);
      }
    }
  }

  /**
   * Runs the step of {@link MirroringCode} on {@code count} numbers. The number opposite to the
   * first one is at index {@code opposite} of the array.
   */
  static void mirror(FftGrid from, int opposite, FftGrid to, FftGrid factors, int count) {
    int[] places = StepArguments.of(1, count);
    places[StepArguments.FROM_PART] = opposite;
    MIRROR.run(from, to, factors, places);
  }
}
