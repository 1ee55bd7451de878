package org.hlo4j.interpreter.compiled.fft;

import org.hlo4j.interpreter.compiled.fft.FftBuffer.Part;

/**
 * A pass of transforms along a dimension other than the last. The lines are columns of a row-major
 * matrix already, so that nothing is transposed.
 */
final class ColumnPass implements FftPass {
  private static final int NUMBERS = 1 << 14;
  private static final int MIN = 16;

  /** The greatest number of numbers in a block of columns, unless it is one column. */
  private static final int MAX_NUMBERS = 1 << 20;

  private final Transform transform;
  private final int stride;
  private final int groups;
  private final int block;
  private final int blocks;
  private final int blocksPerChunk;

  /** Creates a pass over {@code lines} lines whose numbers are {@code stride} numbers apart. */
  ColumnPass(Transform transform, int stride, int lines) {
    this.transform = transform;
    this.stride = stride;
    this.groups = lines / stride;
    int length = transform.length();
    int least = Math.clamp(MAX_NUMBERS / length, 1, MIN);
    int count = Math.max(least, NUMBERS / length / MIN * MIN);
    this.block = Math.min(stride, count);
    this.blocks = Math.max(1, stride / block);
    this.blocksPerChunk = Math.max(1, NUMBERS / (block * length));
  }

  @Override
  public int chunks() {
    return Math.ceilDiv(groups * blocks, blocksPerChunk);
  }

  @Override
  public void run(PassArguments passArguments, int chunk, FftWorkspace workspace) {
    int end = Math.min(groups * blocks, (chunk + 1) * blocksPerChunk);
    for (int i = chunk * blocksPerChunk; i < end; i++) {
      int first = i % blocks * block;
      int count = i % blocks == blocks - 1 ? stride - first : block;
      block(passArguments, i / blocks * transform.length() * stride + first, count, workspace);
    }
  }

  private void block(PassArguments passArguments, int at, int columns, FftWorkspace workspace) {
    Part part = new Part(at, stride, transform.length(), columns);
    FftGrid from = passArguments.from().read(part, workspace);
    FftGrid to = passArguments.to().target(FftWorkspace.Purpose.WRITTEN, part, workspace);
    boolean isInverse = passArguments.isInverse();
    transform.apply(from.swapReImIf(isInverse), to.swapReImIf(isInverse), columns, workspace);
    passArguments.to().write(to, part, passArguments.scale(), workspace);
  }
}
