package org.hlo4j.stablehlo.importer;

import com.google.common.collect.ImmutableList;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.hlo4j.stablehlo.mlir.Block;
import org.hlo4j.stablehlo.mlir.Operation;
import org.hlo4j.stablehlo.mlir.Value;

/** The values that regions capture from outside. */
final class Captures {
  private final Map<Value, Operation> constants;
  private final Map<Block, ImmutableList<Value>> found = new HashMap<>();

  /** Creates captures that exclude constants; more constants may be added to the map later. */
  Captures(Map<Value, Operation> constants) {
    this.constants = constants;
  }

  /**
   * Returns the values from outside that a block uses, except for constants, in the order of their
   * first use.
   */
  ImmutableList<Value> of(Block block) {
    ImmutableList<Value> known = found.get(block);
    if (known == null) {
      known = find(block);
      found.put(block, known);
    }
    return known;
  }

  private ImmutableList<Value> find(Block outermost) {
    Set<Value> defined = new HashSet<>();
    Set<Value> used = new LinkedHashSet<>();
    Deque<Block> open = new ArrayDeque<>();
    open.push(outermost);
    while (!open.isEmpty()) {
      Block block = open.pop();
      defined.addAll(block.arguments());
      for (Operation operation : block.operations()) {
        used.addAll(operation.operands());
        defined.addAll(operation.results());
        operation.blocks().forEach(open::push);
      }
    }
    used.removeAll(defined);
    used.removeIf(constants::containsKey);
    return ImmutableList.copyOf(used);
  }
}
