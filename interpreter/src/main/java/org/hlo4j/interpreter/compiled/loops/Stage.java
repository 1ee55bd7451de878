package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.codegen.Lane;
import org.hlo4j.interpreter.compiled.codegen.VectorSupport;

/**
 * What one generated loop computes. Values go from stage to stage by workspace arrays, a strip at a
 * time.
 *
 * @param loads which workspace array holds a value that an earlier stage has computed
 * @param saves which workspace array takes a value for a later one
 * @param outputs which outputs are written here, and what they are
 */
record Stage(
    ImmutableMap<LoopNode, Integer> loads,
    ImmutableMap<LoopNode, Integer> saves,
    ImmutableMap<Integer, LoopNode> outputs) {

  /** What this stage has to compute. */
  ImmutableList<LoopNode> results() {
    return ImmutableList.<LoopNode>builder()
        .addAll(saves.keySet())
        .addAll(outputs.values())
        .build();
  }

  /**
   * The type that keeps a value in a workspace array as it is; booleans are integers for vectors,
   * of which there are as many lanes as those of most numbers have.
   */
  static ElementType workspaceType(LoopNode node) {
    return switch (Lane.of(node.type())) {
      case F32 -> ElementType.F32;
      case F64 -> ElementType.F64;
      case I32 -> ElementType.S32;
      case I64 -> ElementType.S64;
      case MASK -> VectorSupport.isOn() ? ElementType.S32 : ElementType.PRED;
    };
  }
}
