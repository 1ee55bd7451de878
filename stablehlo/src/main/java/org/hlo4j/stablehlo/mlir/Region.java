package org.hlo4j.stablehlo.mlir;

import static org.hlo4j.hlo.HloException.Kind.PARSE;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import org.hlo4j.hlo.HloException;

/**
 * A list of blocks that an operation owns. Regions of StableHLO have one block.
 *
 * @param blocks the blocks; may be empty
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

  /**
   * {@return the first block}
   *
   * @throws HloException if it has none
   */
  public Block block() {
    require(!blocks.isEmpty(), PARSE, "region got no blocks, want one");
    return blocks.get(0);
  }
}
