package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.hlo.op.Fft.FftType;
import org.hlo4j.interpreter.compiled.fft.FftBuffer.Part;

/**
 * A pass of transforms along the last dimension: of complex lines, to real lines, or from real
 * lines.
 */
final class LinePass implements FftPass {
  private static final int NUMBERS = 1 << 13;
  private static final int MIN_SHARED = 1 << 12;

  private final FftType type;
  private final int length;
  private final int lines;
  private final Transform transform;
  private final RealLines reals;
  private final int batchSize;
  private final int linesPerChunk;

  LinePass(FftType type, int length, int lines) {
    this.type = type;
    this.length = length;
    this.lines = lines;
    this.transform = Transform.ofRows(isHalved(type, length) ? length / 2 : length, lines);
    this.reals = new RealLines(isHalved(type, length) ? length : 0, type == FftType.IRFFT);
    this.batchSize = transform.batchSize();
    this.linesPerChunk = Math.max(1, NUMBERS / (batchSize * length)) * batchSize;
  }

  /** Returns whether pairs of real numbers are transformed as complex numbers. */
  static boolean isHalved(FftType type, int length) {
    return (type == FftType.RFFT || type == FftType.IRFFT) && length % 2 == 0;
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
      if (isHalved(type, length)) {
        half(passArguments, line, count, workspace);
      } else {
        whole(passArguments, line, count, workspace);
      }
      line += count;
    }
  }

  private void whole(PassArguments passArguments, int line, int count, FftWorkspace workspace) {
    int half = length / 2 + 1;
    Part read = Part.ofRows(line, count, type == FftType.IRFFT ? half : length);
    Part written = Part.ofRows(line, count, type == FftType.RFFT ? half : length);
    FftBuffer source = passArguments.from();
    FftBuffer target = passArguments.to();
    FftGrid from =
        switch (type) {
          case FFT, IFFT -> source.read(read, workspace);
          case RFFT -> source.readReal(read, workspace);
          case IRFFT -> extendHermitian(source.read(read, workspace), count, workspace);
        };
    FftGrid to =
        type == FftType.RFFT || type == FftType.IRFFT
            ? workspace.grid(FftWorkspace.Purpose.WRITTEN, count, length)
            : target.target(FftWorkspace.Purpose.WRITTEN, written, workspace);
    boolean isInverse = passArguments.isInverse();
    transform.apply(from.swapReImIf(isInverse), to.swapReImIf(isInverse), count, workspace);
    if (type == FftType.IRFFT) {
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
    if (type == FftType.RFFT) {
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
