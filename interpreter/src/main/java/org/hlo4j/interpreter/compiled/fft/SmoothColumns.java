package org.hlo4j.interpreter.compiled.fft;

import java.util.List;
import org.hlo4j.interpreter.compiled.fft.ButterflyCode.Factors;
import org.hlo4j.interpreter.engine.Pieces;
import org.jspecify.annotations.Nullable;

/**
 * The transform of the columns of a grid, of a length that is a product of small primes. It is a
 * sequence of steps of butterflies, one for each factor, in Stockham's order, so that no
 * permutation of the results is necessary.
 *
 * <pre>
 * n is the length that is left, r the radix, m = n / r, s = length / n
 * to[q + s (r p + j)] = e^(-2 pi i j p / n) sum over k of from[q + s (p + m k)] e^(-2 pi i j k / r)
 * </pre>
 */
final class SmoothColumns implements Transform {
  private static final int BLOCK_NUMBERS = 1 << 10;
  private static final int MIN_BLOCK = 32;

  private final int length;
  private final int block;
  private final int[] radices;
  private final TieredFftStep[] steps;
  private final FftGrid[] factors;
  private final TieredFftStep last;

  SmoothColumns(int length) {
    List<Integer> list = Lengths.radices(length);
    this.length = length;
    this.block = Math.max(MIN_BLOCK, BLOCK_NUMBERS / length / MIN_BLOCK * MIN_BLOCK);
    this.radices = list.stream().mapToInt(i -> i).toArray();
    this.steps = new TieredFftStep[radices.length];
    this.factors = new FftGrid[radices.length];
    int left = length;
    for (int i = 0; i < radices.length; i++) {
      boolean isLast = i == radices.length - 1;
      steps[i] = TieredFftStep.butterfly(radices[i], isLast ? Factors.NONE : Factors.PER_PART);
      factors[i] = isLast ? AlignedSlab.table(1, 1) : factors(left, radices[i]);
      left /= radices[i];
    }
    this.last = TieredFftStep.butterfly(radices[radices.length - 1], Factors.PER_NUMBER);
  }

  private static FftGrid factors(int left, int radix) {
    int each = radix - 1;
    return AlignedSlab.table(
        left / radix * each, each, i -> Roots.root((i % each + 1L) * (i / each), left));
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public void apply(FftGrid from, FftGrid to, int columns, FftWorkspace workspace) {
    apply(from, to, columns, null, workspace);
  }

  /**
   * Transforms lines and multiplies the results.
   *
   * @param by the factors of the results, or null if there are none
   */
  void apply(FftGrid from, FftGrid to, int columns, @Nullable FftGrid by, FftWorkspace workspace) {
    boolean isInPlace = steps.length == 1 && from.array() == to.array();
    FftGrid source = isInPlace ? copied(from, columns, workspace) : from;
    Pieces pieces = new Pieces();
    for (int first = 0; first < columns; ) {
      int rest = columns - first;
      int count = rest < block + MIN_BLOCK ? rest : block;
      FftGrid factor = by == null ? null : by.offset(first);
      pieces.next((long) length * count);
      applyBlock(source.offset(first), to.offset(first), count, factor, workspace);
      first += count;
    }
  }

  /**
   * Returns a copy of the input. Where columns do not fill vectors, a single step in place would
   * read again what it has written.
   */
  private FftGrid copied(FftGrid from, int columns, FftWorkspace workspace) {
    FftGrid copy = workspace.grid(FftWorkspace.Purpose.STEP, length, columns);
    from.copy(copy, length, columns);
    return copy;
  }

  private void applyBlock(
      FftGrid from, FftGrid to, int columns, @Nullable FftGrid by, FftWorkspace workspace) {
    FftGrid even = workspace.grid(FftWorkspace.Purpose.STEP, length, columns);
    FftGrid odd = workspace.grid(FftWorkspace.Purpose.OTHER_STEP, length, columns);
    FftGrid source = from;
    int done = 1;
    int left = length;
    for (int i = 0; i < steps.length; i++) {
      boolean isLast = i == steps.length - 1;
      int radix = radices[i];
      left /= radix;
      FftGrid target = isLast ? to : i % 2 == 0 ? even : odd;
      int[] arguments = new int[StepArguments.COUNT];
      if (isLast) {
        arguments[StepArguments.ROWS] = done;
        arguments[StepArguments.COLUMNS] = columns;
        arguments[StepArguments.FROM_ROW] = source.stride();
        arguments[StepArguments.TO_ROW] = target.stride();
      } else {
        arguments[StepArguments.ROWS] = left;
        arguments[StepArguments.COLUMNS] = done * columns;
        arguments[StepArguments.FROM_ROW] = done * source.stride();
        arguments[StepArguments.TO_ROW] = done * radix * target.stride();
        arguments[StepArguments.FACTOR_ROW] = radix - 1;
      }
      arguments[StepArguments.FROM_PART] = done * left * source.stride();
      arguments[StepArguments.TO_PART] = done * target.stride();
      run(i, isLast ? by : null, source, target, arguments, done);
      source = target;
      done *= radix;
    }
  }

  private void run(
      int step, @Nullable FftGrid by, FftGrid from, FftGrid to, int[] arguments, int done) {
    FftGrid factor = factors[step];
    TieredFftStep butterflies = steps[step];
    if (by != null) {
      factor = by;
      butterflies = last;
      arguments[StepArguments.FACTOR_ROW] = by.stride();
      arguments[StepArguments.FACTOR_PART] = done * by.stride();
    }
    butterflies.run(from, to, factor, arguments);
  }
}
