package org.hlo4j.interpreter.compiled.fft;

/**
 * A pass of transforms along a dimension other than the last. The lines are columns of a row-major
 * matrix already, so that nothing is transposed.
 */
final class ColumnPass implements FftPass {
  private static final int NUMBERS = 1 << 14;
  private static final int MIN = 16;

  private final ColumnTransform transform;
  private final int stride;
  private final int groups;
  private final int block;
  private final int blocks;
  private final int together;

  /** Creates a pass over {@code lines} lines whose numbers are {@code stride} numbers apart. */
  ColumnPass(ColumnTransform transform, int stride, int lines) {
    this.transform = transform;
    this.stride = stride;
    this.groups = lines / stride;
    int many = Math.max(MIN, NUMBERS / transform.length() / MIN * MIN);
    this.block = Math.min(stride, many);
    this.blocks = Math.max(1, stride / block);
    this.together = Math.max(1, NUMBERS / (block * transform.length()));
  }

  @Override
  public int pieces() {
    return Math.ceilDiv(groups * blocks, together);
  }

  @Override
  public void run(Ends ends, int piece, FftWorkspace room) {
    int end = Math.min(groups * blocks, (piece + 1) * together);
    for (int i = piece * together; i < end; i++) {
      int first = i % blocks * block;
      int many = i % blocks == blocks - 1 ? stride - first : block;
      block(ends, i / blocks * transform.length() * stride + first, many, room);
    }
  }

  private void block(Ends ends, int at, int columns, FftWorkspace room) {
    int length = transform.length();
    FftGrid from = ends.from().read(at, stride, length, columns, room);
    FftGrid to = ends.to().target(at, stride, length, columns, room);
    boolean isInverse = ends.isInverse();
    transform.apply(from.exchangedIf(isInverse), to.exchangedIf(isInverse), columns, room);
    ends.to().write(to, at, stride, length, columns, ends.scale());
  }
}
