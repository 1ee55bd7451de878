package org.hlo4j.interpreter.compiled.fft;

/**
 * A pass of transforms along the last dimension: of complex lines, to real lines, or from real
 * lines.
 */
final class LinePass implements FftPass {
  private static final int NUMBERS = 1 << 13;
  private static final int MIN_SHARED = 1 << 12;

  private final LineKind kind;
  private final int length;
  private final int lines;
  private final Transform transform;
  private final RealLines reals;
  private final int batchSize;
  private final int linesPerPiece;

  LinePass(LineKind kind, int length, int lines) {
    this.kind = kind;
    this.length = length;
    this.lines = lines;
    this.transform = Transform.ofRows(kind.isHalved(length) ? length / 2 : length, lines);
    this.reals = new RealLines(kind.isHalved(length) ? length : 0, kind == LineKind.TO_REAL);
    this.batchSize = transform.batchSize();
    this.linesPerPiece = Math.max(1, NUMBERS / (batchSize * length)) * batchSize;
  }

  @Override
  public int pieces() {
    return Math.max(1, lines / linesPerPiece);
  }

  /** Threads share long lines if there are less of them than threads. */
  @Override
  public boolean hasSharedPieces(int threads) {
    return length >= MIN_SHARED && lines < threads;
  }

  @Override
  public void run(PassArguments passArguments, int piece, FftWorkspace workspace) {
    int end = piece == pieces() - 1 ? lines : (piece + 1) * linesPerPiece;
    for (int line = piece * linesPerPiece; line < end; ) {
      int count = end - line < 2 * batchSize ? end - line : batchSize;
      if (kind.isHalved(length)) {
        half(passArguments, line, count, workspace);
      } else {
        whole(passArguments, line, count, workspace);
      }
      line += count;
    }
  }

  private void whole(PassArguments passArguments, int line, int count, FftWorkspace workspace) {
    int read = kind == LineKind.TO_REAL ? length / 2 + 1 : length;
    int written = kind == LineKind.FROM_REAL ? length / 2 + 1 : length;
    FftGrid from =
        switch (kind) {
          case COMPLEX -> passArguments.from().read(line * read, read, count, read, workspace);
          case FROM_REAL -> passArguments.from().readReal(line * read, count, read, workspace);
          case TO_REAL ->
              extendHermitian(
                  passArguments.from().read(line * read, read, count, read, workspace),
                  count,
                  workspace);
        };
    FftGrid to =
        kind == LineKind.COMPLEX
            ? passArguments.to().target(line * written, written, count, written, workspace)
            : workspace.grid(FftWorkspace.Purpose.WRITTEN, count, length);
    boolean isInverse = passArguments.isInverse();
    transform.apply(from.swapReImIf(isInverse), to.swapReImIf(isInverse), count, workspace);
    if (kind == LineKind.TO_REAL) {
      for (int i = 0; i < count; i++) {
        passArguments
            .to()
            .writeReal(to.offset(i * length), (line + i) * length, length, passArguments.scale());
      }
    } else {
      passArguments
          .to()
          .copy(to, line * written, written, count, written, passArguments.scale(), workspace);
    }
  }

  /**
   * Completes lines by {@code line[n - k] = conjugate(line[k])}, which makes their transform real.
   */
  private FftGrid extendHermitian(FftGrid from, int count, FftWorkspace workspace) {
    FftGrid to = workspace.grid(FftWorkspace.Purpose.MIRRORED, count, length);
    for (int line = 0; line < count; line++) {
      FftGrid source = from.offset(line * from.stride());
      FftGrid target = to.offset(line * length);
      target.set(0, source.re(0), 0);
      for (int k = 1; 2 * k < length; k++) {
        target.set(k, source.re(k), source.im(k));
        target.set(length - k, source.re(k), -source.im(k));
      }
    }
    return to;
  }

  private void half(PassArguments passArguments, int line, int count, FftWorkspace workspace) {
    int half = length / 2;
    FftGrid halves = workspace.grid(FftWorkspace.Purpose.WRITTEN, count, half);
    if (kind == LineKind.FROM_REAL) {
      FftGrid from = passArguments.from().read(line * half, half, count, half, workspace);
      transform.apply(from, halves, count, workspace);
      int at = line * (half + 1);
      FftGrid to =
          passArguments
              .to()
              .targetOf(FftWorkspace.Purpose.READ, at, half + 1, count, half + 1, workspace);
      for (int i = 0; i < count; i++) {
        reals.forward(halves.offset(i * half), to.offset(i * to.stride()), workspace);
      }
      passArguments.to().write(to, at, half + 1, count, half + 1, passArguments.scale(), workspace);
    } else {
      FftGrid from =
          passArguments.from().read(line * (half + 1), half + 1, count, half + 1, workspace);
      for (int i = 0; i < count; i++) {
        reals.inverse(from.offset(i * from.stride()), halves.offset(i * half), workspace);
      }
      FftGrid pairs = workspace.grid(FftWorkspace.Purpose.READ, count, half);
      transform.apply(halves.swapReIm(), pairs.swapReIm(), count, workspace);
      passArguments
          .to()
          .write(pairs, line * half, half, count, half, passArguments.scale(), workspace);
    }
  }
}
