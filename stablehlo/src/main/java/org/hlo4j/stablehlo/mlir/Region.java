package org.hlo4j.stablehlo.mlir;

import com.google.common.collect.ImmutableList;

/**
 * A list of blocks that an operation owns. Regions of StableHLO have one block.
 *
 * @param blocks the blocks, maybe none
 */
public record Region(ImmutableList<Block> blocks) {
  /**
   * {@return a region of one block}
   *
   * @param block the block
   */
  public static Region of(Block block) {
    return new Region(ImmutableList.of(block));
  }

  /** {@return whether it has no block} */
  public boolean isEmpty() {
    return blocks.isEmpty();
  }

  /** {@return the first block} */
  public Block block() {
    return blocks.get(0);
  }
}
