package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.StripArrays.StripArray;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.Machine;

/**
 * The part of a region that one generated loop computes. Stages hand values to later stages in
 * workspace arrays, one strip at a time.
 *
 * @param loads the workspace array of each value that an earlier stage has computed
 * @param saves the workspace array of each value that a later stage needs
 * @param outputs the outputs that this stage writes, and their values
 */
record Stage(
    ImmutableMap<LoopNode, StripArray> loads,
    ImmutableMap<LoopNode, StripArray> saves,
    ImmutableMap<Integer, LoopNode> outputs) {

  /** Returns the values that this stage has to compute. */
  ImmutableList<LoopNode> results() {
    return ImmutableList.<LoopNode>builder()
        .addAll(saves.keySet())
        .addAll(outputs.values())
        .build();
  }

  /**
   * Returns a type for the workspace array that preserves a value. With vectors, booleans are kept
   * as 32-bit integers, because a vector of them has as many lanes as the vectors of most numbers.
   */
  static ElementType workspaceType(LoopNode node) {
    return switch (Lane.of(node.type())) {
      case F32 -> ElementType.F32;
      case F64 -> ElementType.F64;
      case I32 -> ElementType.S32;
      case I64 -> ElementType.S64;
      case MASK -> Machine.isVectorApiOn() ? ElementType.S32 : ElementType.PRED;
    };
  }
}
