package org.hlo4j.interpreter.compiled.fft;

/**
 * A pass of transforms along the last dimension: of complex lines, to real lines, or from real
 * lines.
 */
final class LinePass implements FftPass {
  private static final int NUMBERS = 1 << 13;

  private final LineKind kind;
  private final int length;
  private final int lines;
  private final LineTransform transform;
  private final RealLines reals;
  private final int together;
  private final int each;

  LinePass(LineKind kind, int length, int lines) {
    this.kind = kind;
    this.length = length;
    this.lines = lines;
    this.transform = LineTransform.of(kind.isHalved(length) ? length / 2 : length, lines);
    this.reals = new RealLines(kind.isHalved(length) ? length : 0, kind == LineKind.TO_REAL);
    this.together = transform.batchSize();
    this.each = Math.max(1, NUMBERS / (together * length)) * together;
  }

  @Override
  public int pieces() {
    return Math.max(1, lines / each);
  }

  @Override
  public void run(Ends ends, int piece, FftWorkspace room) {
    int end = piece == pieces() - 1 ? lines : (piece + 1) * each;
    for (int line = piece * each; line < end; ) {
      int many = end - line < 2 * together ? end - line : together;
      if (kind.isHalved(length)) {
        half(ends, line, many, room);
      } else {
        whole(ends, line, many, room);
      }
      line += many;
    }
  }

  private void whole(Ends ends, int line, int many, FftWorkspace room) {
    int read = kind == LineKind.TO_REAL ? length / 2 + 1 : length;
    int written = kind == LineKind.FROM_REAL ? length / 2 + 1 : length;
    FftGrid from =
        switch (kind) {
          case COMPLEX -> ends.from().read(line * read, read, many, read, room);
          case FROM_REAL -> ends.from().readReal(line * read, many, read, room);
          case TO_REAL ->
              mirrored(ends.from().read(line * read, read, many, read, room), many, room);
        };
    FftGrid to =
        kind == LineKind.COMPLEX
            ? ends.to().target(line * written, written, many, written, room)
            : room.grid(FftWorkspace.Use.WRITTEN, many, length);
    boolean isInverse = ends.isInverse();
    transform.apply(from.exchangedIf(isInverse), to.exchangedIf(isInverse), many, room);
    if (kind == LineKind.TO_REAL) {
      for (int i = 0; i < many; i++) {
        ends.to().writeReal(to.offset(i * length), (line + i) * length, length, ends.scale());
      }
    } else {
      ends.to().copy(to, line * written, written, many, written, ends.scale());
    }
  }

  /**
   * Completes lines by {@code line[n - k] = conjugate(line[k])}, which makes their transform real.
   */
  private FftGrid mirrored(FftGrid from, int many, FftWorkspace room) {
    FftGrid to = room.grid(FftWorkspace.Use.MIRRORED, many, length);
    for (int line = 0; line < many; line++) {
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

  private void half(Ends ends, int line, int many, FftWorkspace room) {
    int half = length / 2;
    FftGrid halves = room.grid(FftWorkspace.Use.WRITTEN, many, half);
    if (kind == LineKind.FROM_REAL) {
      FftGrid from = ends.from().read(line * half, half, many, half, room);
      transform.apply(from, halves, many, room);
      int at = line * (half + 1);
      FftGrid to = ends.to().targetOf(FftWorkspace.Use.READ, at, half + 1, many, half + 1, room);
      for (int i = 0; i < many; i++) {
        reals.forward(halves.offset(i * half), to.offset(i * to.stride()));
      }
      ends.to().write(to, at, half + 1, many, half + 1, ends.scale());
    } else {
      FftGrid from = ends.from().read(line * (half + 1), half + 1, many, half + 1, room);
      for (int i = 0; i < many; i++) {
        reals.inverse(from.offset(i * from.stride()), halves.offset(i * half));
      }
      FftGrid pairs = room.grid(FftWorkspace.Use.READ, many, half);
      transform.apply(halves.exchanged(), pairs.exchanged(), many, room);
      ends.to().write(pairs, line * half, half, many, half, ends.scale());
    }
  }
}
