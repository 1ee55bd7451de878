package org.hlo4j.hlo.safetensors;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.LiteralBuilder;

/** The conversion of elements between a literal and blocks of file bytes. */
final class TensorBlocks {
  /** The largest block, which fits into a cache. */
  private static final int MAX_BYTES = 1 << 18;

  private TensorBlocks() {}

  /** Allocates a block for some bytes, or of the maximum size if they are more. */
  static ByteBuffer allocate(long bytes) {
    return ByteBuffer.allocateDirect((int) Math.min(MAX_BYTES, bytes))
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Limits a block to the number of bytes left. */
  static ByteBuffer next(ByteBuffer block, long left) {
    return block.clear().limit((int) Math.min(block.capacity(), left));
  }

  /** Sets components from a block, from index {@code from} on; returns the index after the last. */
  static int set(LiteralBuilder builder, int from, ByteBuffer block, Dtype dtype) {
    if (!dtype.isPacked()) {
      builder.setBits(from, block);
      return from + components(block, dtype);
    }
    for (int i = 0; i < block.limit(); i++) {
      builder.setBits(from + 2 * i, block.get(i) & 0xf);
      builder.setBits(from + 2 * i + 1, block.get(i) >> 4 & 0xf);
    }
    return from + 2 * block.limit();
  }

  /**
   * Fills a block with components, from index {@code from} on; returns the index after the last.
   */
  static int get(Literal array, int from, ByteBuffer block, Dtype dtype) {
    if (!dtype.isPacked()) {
      array.bitsAt(from, block);
      return from + components(block, dtype);
    }
    for (int i = 0; i < block.limit(); i++) {
      block.put(i, (byte) (array.bitsAt(from + 2 * i) | array.bitsAt(from + 2 * i + 1) << 4));
    }
    return from + 2 * block.limit();
  }

  private static int components(ByteBuffer block, Dtype dtype) {
    int bits = Math.max(Byte.SIZE, dtype.elementType().componentType().bits());
    return block.limit() / (bits / Byte.SIZE);
  }
}
