package org.hlo4j.interpreter.engine;

import org.hlo4j.hlo.Shape;
import org.jspecify.annotations.Nullable;

/**
 * An array among the values of a computation, with the facts that {@link Liveness} collects about
 * it: the step that makes it ({@code born}), the last step that uses it ({@code lastUse}), the last
 * step that uses any value containing it ({@code lastHeld}), and a value that contains it at the
 * last use ({@code holder}, {@code index}).
 */
final class Leaf {
  final Shape.Array shape;
  final boolean fresh;
  final int parameterLeaf;
  final int definingSlot;
  boolean escapes;

  /** Whether an instruction without a kernel, which may pass it to somebody, reads it. */
  boolean isRetained;

  boolean isResult;
  int lastUse = -1;
  int lastContainerUse;
  int containerSlot = -1;
  int index;
  BufferPlan.@Nullable Value planned;

  Leaf(int definingSlot, Shape.Array shape, boolean fresh, int parameterLeaf) {
    this.definingSlot = definingSlot;
    this.shape = shape;
    this.fresh = fresh;
    this.parameterLeaf = parameterLeaf;
    this.lastContainerUse = definingSlot;
  }

  boolean isDonatable() {
    return !escapes && parameterLeaf >= 0 && Liveness.bytes(shape) >= Liveness.MIN_BYTES;
  }

  boolean isTemporary() {
    return !escapes && fresh && Liveness.bytes(shape) >= Liveness.MIN_BYTES;
  }

  void plan() {
    planned = new BufferPlan.Value(shape, definingSlot, lastContainerUse);
  }
}
