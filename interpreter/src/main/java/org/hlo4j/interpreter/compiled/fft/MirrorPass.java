package org.hlo4j.interpreter.compiled.fft;

/**
 * A pass that converts between the transforms of real lines and those of their pairs. Lines are so
 * long that a piece is a part of a line. See {@link RealLines}.
 */
final class MirrorPass implements FftPass {
  private static final int NUMBERS = 1 << 13;

  private final RealLines reals;
  private final boolean isForward;
  private final int half;
  private final int lines;
  private final int parts;

  MirrorPass(RealLines reals, boolean isForward, int length, int lines) {
    this.reals = reals;
    this.isForward = isForward;
    this.half = length / 2;
    this.lines = lines;
    this.parts = Math.max(1, half / NUMBERS);
  }

  @Override
  public int pieces() {
    return lines * parts;
  }

  @Override
  public void run(PassArguments passArguments, int piece, FftWorkspace workspace) {
    int line = piece / parts;
    int first = piece % parts * NUMBERS;
    boolean isLast = piece % parts == parts - 1;
    if (isForward) {
      int end = isLast ? half + 1 : first + NUMBERS;
      int count = end - first;
      int at = line * (half + 1) + first;
      FftGrid from = passArguments.from().read(line * half, half, 1, half, workspace);
      FftGrid to = passArguments.to().target(at, count, 1, count, workspace);
      reals.forward(from, to, first, end);
      passArguments.to().write(to, at, count, 1, count, passArguments.scale());
    } else {
      int end = isLast ? half : first + NUMBERS;
      FftGrid to = passArguments.to().target(line * half + first, half, 1, end - first, workspace);
      // Copies numbers first to end - 1 and their opposites, half - end + 1 to half - first.
      int count = end - first;
      int at = line * (half + 1);
      FftGrid both = workspace.grid(FftWorkspace.Purpose.MIRRORED, 2, count);
      passArguments.from().read(at + first, count, 1, count, workspace).copy(both, 1, count);
      int opposite = at + half - end + 1;
      passArguments
          .from()
          .read(opposite, count, 1, count, workspace)
          .copy(both.offset(count), 1, count);
      reals.inverse(both, both.offset(2 * count - 1), to, first, end);
    }
  }
}
