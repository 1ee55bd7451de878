package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.FftBuffer.Part;

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
  private final int linesPerChunk;

  LinePass(LineKind kind, int length, int lines) {
    this.kind = kind;
    this.length = length;
    this.lines = lines;
    this.transform = Transform.ofRows(kind.isHalved(length) ? length / 2 : length, lines);
    this.reals = new RealLines(kind.isHalved(length) ? length : 0, kind == LineKind.TO_REAL);
    this.batchSize = transform.batchSize();
    this.linesPerChunk = Math.max(1, NUMBERS / (batchSize * length)) * batchSize;
  }

  @Override
  public int chunks() {
    return Math.max(1, lines / linesPerChunk);
  }

  /** Threads share long lines if there are less of them than threads. */
  @Override
  public boolean hasSharedChunks(int threads) {
    return length >= MIN_SHARED && lines < threads;
  }

  @Override
  public void run(PassArguments passArguments, int chunk, FftWorkspace workspace) {
    int end = chunk == chunks() - 1 ? lines : (chunk + 1) * linesPerChunk;
    for (int line = chunk * linesPerChunk; line < end; ) {
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
    int half = length / 2 + 1;
    Part read = Part.ofRows(line, count, kind == LineKind.TO_REAL ? half : length);
    Part written = Part.ofRows(line, count, kind == LineKind.FROM_REAL ? half : length);
    FftBuffer source = passArguments.from();
    FftBuffer target = passArguments.to();
    FftGrid from =
        switch (kind) {
          case COMPLEX -> source.read(read, workspace);
          case FROM_REAL -> source.readReal(read, workspace);
          case TO_REAL -> extendHermitian(source.read(read, workspace), count, workspace);
        };
    FftGrid to =
        kind == LineKind.COMPLEX
            ? target.target(FftWorkspace.Purpose.WRITTEN, written, workspace)
            : workspace.grid(FftWorkspace.Purpose.WRITTEN, count, length);
    boolean isInverse = passArguments.isInverse();
    transform.apply(from.swapReImIf(isInverse), to.swapReImIf(isInverse), count, workspace);
    if (kind == LineKind.TO_REAL) {
      target.writeReal(to, written, passArguments.scale());
    } else {
      target.copy(to, written, passArguments.scale(), workspace);
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
    Part pairs = Part.ofRows(line, count, half);
    Part numbers = Part.ofRows(line, count, half + 1);
    FftBuffer source = passArguments.from();
    FftBuffer target = passArguments.to();
    FftGrid halves = workspace.grid(FftWorkspace.Purpose.WRITTEN, count, half);
    if (kind == LineKind.FROM_REAL) {
      transform.apply(source.read(pairs, workspace), halves, count, workspace);
      FftGrid to = target.target(FftWorkspace.Purpose.READ, numbers, workspace);
      for (int i = 0; i < count; i++) {
        reals.forward(halves.offset(i * half), to.offset(i * to.stride()), workspace);
      }
      target.write(to, numbers, passArguments.scale(), workspace);
    } else {
      FftGrid from = source.read(numbers, workspace);
      for (int i = 0; i < count; i++) {
        reals.inverse(from.offset(i * from.stride()), halves.offset(i * half), workspace);
      }
      FftGrid to = workspace.grid(FftWorkspace.Purpose.READ, count, half);
      transform.apply(halves.swapReIm(), to.swapReIm(), count, workspace);
      target.write(to, pairs, passArguments.scale(), workspace);
    }
  }
}
