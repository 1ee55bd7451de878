package org.hlo4j.interpreter.compiled.fft;

/**
 * A pass of the first three of {@link FourSteps} on long lines. A piece is a block of a few
 * columns, so that threads share a line and a block stays in the cache of its core. The transforms
 * of columns that remain are a {@link ColumnPass}.
 */
final class TransposedPass implements FftPass {
  private static final int NUMBERS = 1 << 14;
  private static final int MIN = 16;

  private final FourSteps steps;
  private final int lines;
  private final int block;
  private final int blocks;

  TransposedPass(FourSteps steps, int lines) {
    this.steps = steps;
    this.lines = lines;
    this.block = Math.min(steps.columns, Math.max(MIN, NUMBERS / steps.rows / MIN * MIN));
    this.blocks = steps.columns / block;
  }

  @Override
  public int pieces() {
    return lines * blocks;
  }

  @Override
  public void run(PassArguments passArguments, int piece, FftWorkspace workspace) {
    int line = piece / blocks * steps.length();
    int first = piece % blocks * block;
    int count = piece % blocks == blocks - 1 ? steps.columns - first : block;
    FftGrid from =
        passArguments.from().read(line + first, steps.columns, steps.rows, count, workspace);
    FftGrid matrix = workspace.grid(FftWorkspace.Purpose.ROWS, steps.rows, count);
    FftGrid to =
        passArguments
            .to()
            .target(line + first * steps.rows, steps.rows, count, steps.rows, workspace);
    boolean isInverse = passArguments.isInverse();
    steps.first.apply(
        from.swapReImIf(isInverse), matrix, count, steps.factors.offset(first), workspace);
    matrix.transpose(to.swapReImIf(isInverse), steps.rows, count);
  }
}
