package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.function.Function;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.CodeBudget;
import org.hlo4j.interpreter.compiled.codegen.CodeEmitter;
import org.hlo4j.interpreter.compiled.codegen.Machine;
import org.hlo4j.interpreter.compiled.tiering.Tiered;
import org.hlo4j.interpreter.compiled.tiering.WarmupInput;

/**
 * A kind of step in two tiers: in scalar code first and, once C2 has compiled it, in vector code.
 * Where the number of columns is not a multiple of the vector width, the last vector overlaps the
 * one before it. This requires that a step does not write to its input.
 */
final class TieredFftStep {
  private static final int WIDTH = Machine.width(Double.SIZE);
  private static final ElementType F64 = ElementType.F64;
  private static final int ENOUGH = 1 << 16;
  private static final int WARMUP_ROWS = 8;
  private static final int WARMUP_ARRAY = 4096;

  private static final ConcurrentMap<String, TieredFftStep> ALL = new ConcurrentHashMap<>();

  private final Tiered<FftStep> tiers;
  private final List<Integer> units;
  private final boolean isMirror;

  private TieredFftStep(
      String name,
      Function<CodeEmitter, FftStepCode> code,
      List<Integer> units,
      ElementType... arrays) {
    Consumer<CodeEmitter> writing = emitter -> code.apply(emitter).write();
    this.tiers =
        Tiered.of(FftStep.class, "Fft" + name, writing, WIDTH, () -> warmup(arrays), ENOUGH);
    this.units = units;
    this.isMirror = name.equals("Mirror");
  }

  /**
   * Returns a step that all programs share. It is made when it is first asked for, not when this
   * class is initialized: a failure then would make the class unusable.
   *
   * @param units how many numbers apart neighbouring ones are: those read, written, and factors
   */
  private static TieredFftStep shared(
      String name,
      Function<CodeEmitter, FftStepCode> code,
      List<Integer> units,
      ElementType... arrays) {
    TieredFftStep known = ALL.get(name);
    return known == null
        ? ALL.computeIfAbsent(
            name, _ -> CodeBudget.shared(() -> new TieredFftStep(name, code, units, arrays)))
        : known;
  }

  /** Returns the butterflies of a radix. */
  static TieredFftStep butterfly(int radix, ButterflyCode.Factors factors) {
    Function<CodeEmitter, FftStepCode> code = e -> new ButterflyCode(e, radix, factors);
    int factorUnit = factors == ButterflyCode.Factors.PER_NUMBER ? 1 : 0;
    return shared("Butterfly" + radix + factors, code, List.of(1, 1, factorUnit), F64, F64, F64);
  }

  private static TieredFftStep reading(ElementType type) {
    return shared("Read" + type, e -> new ReadingCode(e, type), List.of(2, 1, 0), type, F64);
  }

  private static TieredFftStep writing(ElementType type) {
    return shared("Write" + type, e -> new WritingCode(e, type), List.of(1, 2, 0), F64, type, F64);
  }

  private static WarmupInput<FftStep> warmup(ElementType... types) {
    Object[] arrays = new Object[types.length];
    for (int i = 0; i < arrays.length; i++) {
      boolean isSingle = types[i] == ElementType.F32;
      arrays[i] = isSingle ? new float[WARMUP_ARRAY] : new double[WARMUP_ARRAY];
    }
    int columns = 2 * WIDTH;
    int[] arguments = new int[StepArguments.COUNT];
    arguments[StepArguments.COLUMNS] = columns;
    arguments[StepArguments.FROM_ROW] = columns;
    arguments[StepArguments.TO_ROW] = columns;
    arguments[StepArguments.FROM_PART] = WARMUP_ROWS * columns;
    arguments[StepArguments.TO_PART] = WARMUP_ROWS * columns;
    arguments[StepArguments.FACTOR_PART] = columns;
    return (step, iterations) -> {
      arguments[StepArguments.ROW] = Math.min(iterations, 0) * -1;
      arguments[StepArguments.ROWS] = iterations > 0 ? WARMUP_ROWS : 0;
      step.run(arrays, arguments);
    };
  }

  /**
   * Makes the vector form of all steps that exist so far available now, although C2 has not
   * compiled it yet.
   */
  static void prepare() {
    ALL.values().forEach(steps -> steps.tiers.prepare());
  }

  /**
   * Runs the step.
   *
   * @param arguments the sizes and strides; the offsets are filled in here
   */
  void run(FftGrid from, FftGrid to, FftGrid factors, int[] arguments) {
    arguments[StepArguments.FROM] = from.at();
    arguments[StepArguments.FROM_SHIFT] = from.shift();
    arguments[StepArguments.TO] = to.at();
    arguments[StepArguments.TO_SHIFT] = to.shift();
    arguments[StepArguments.FACTOR] = factors.at();
    arguments[StepArguments.FACTOR_SHIFT] = factors.shift();
    run(new Object[] {from.array(), to.array(), factors.array()}, arguments);
  }

  private void run(Object[] arrays, int[] arguments) {
    int columns = arguments[StepArguments.COLUMNS];
    FftStep vectors =
        columns < WIDTH ? null : tiers.second((long) arguments[StepArguments.ROWS] * columns);
    if (vectors == null) {
      tiers.first().run(arrays, arguments);
      return;
    }
    int whole = columns - columns % WIDTH;
    arguments[StepArguments.COLUMNS] = whole;
    vectors.run(arrays, arguments);
    if (whole < columns) {
      int shift = columns - WIDTH;
      arguments[StepArguments.COLUMNS] = WIDTH;
      arguments[StepArguments.FROM] += shift * units.get(0);
      arguments[StepArguments.FROM_PART] -= isMirror ? shift : 0;
      arguments[StepArguments.TO] += shift * units.get(1);
      arguments[StepArguments.FACTOR] += shift * units.get(2);
      vectors.run(arrays, arguments);
    }
  }

  /** Splits rows of an array of floats or doubles, in pairs, into real and imaginary parts. */
  static void read(Object from, FftBuffer.Part part, FftGrid to) {
    int[] arguments = StepArguments.of(part.rows(), part.columns());
    arguments[StepArguments.FROM] = 2 * part.at();
    arguments[StepArguments.FROM_ROW] = 2 * part.stride();
    arguments[StepArguments.TO] = to.at();
    arguments[StepArguments.TO_SHIFT] = to.shift();
    arguments[StepArguments.TO_ROW] = to.stride();
    TieredFftStep steps = reading(from instanceof float[] ? ElementType.F32 : F64);
    steps.run(new Object[] {from, to.array()}, arguments);
  }

  /**
   * Interleaves the real and imaginary parts of rows, multiplied by {@code by}: the reverse of
   * {@link #read}.
   */
  static void write(FftGrid from, Object to, FftBuffer.Part part, double by) {
    int[] arguments = StepArguments.of(part.rows(), part.columns());
    arguments[StepArguments.FROM] = from.at();
    arguments[StepArguments.FROM_SHIFT] = from.shift();
    arguments[StepArguments.FROM_ROW] = from.stride();
    arguments[StepArguments.TO] = 2 * part.at();
    arguments[StepArguments.TO_ROW] = 2 * part.stride();
    TieredFftStep steps = writing(to instanceof float[] ? ElementType.F32 : F64);
    steps.run(new Object[] {from.array(), to, new double[] {by}}, arguments);
  }

  /**
   * Runs the step of {@link MirroringCode} on {@code count} numbers. The number opposite to the
   * first one is at index {@code opposite} of the array.
   */
  static void mirror(FftGrid from, int opposite, FftGrid to, FftGrid factors, int count) {
    int[] arguments = StepArguments.of(1, count);
    arguments[StepArguments.FROM_PART] = opposite;
    shared("Mirror", MirroringCode::new, List.of(1, 1, 1), F64, F64, F64)
        .run(from, to, factors, arguments);
  }
}
