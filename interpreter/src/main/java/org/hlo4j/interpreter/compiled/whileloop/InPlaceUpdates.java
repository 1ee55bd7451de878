package org.hlo4j.interpreter.compiled.whileloop;

import com.google.common.collect.ImmutableList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.DynamicUpdateSlice;
import org.hlo4j.interpreter.compiled.codegen.Value;

/**
 * The code writer of {@link DynamicUpdateSlice}, in place. What later code reads of the old
 * contents is computed before the update, or read from a copy.
 */
final class InPlaceUpdates {
  /** The maximum number of elements of an array that is copied in each iteration. */
  private static final int MAX_COPIED = 256;

  private final ScalarArrays arrays;
  private final ArrayCode code;
  private final Deque<LiveValues> frames;
  private int framesOutsideOfLoop;

  /**
   * Creates a writer.
   *
   * @param frames the computations whose code is being written
   */
  InPlaceUpdates(ScalarArrays arrays, ArrayCode code, Deque<LiveValues> frames) {
    this.arrays = arrays;
    this.code = code;
    this.frames = frames;
  }

  Operand.Leaf write(HloInstruction instruction, List<Operand> operands, boolean isOnce) {
    Operand.Leaf target = operands.get(0).leaf();
    Operand.Leaf update = operands.get(1).leaf();
    Shape.Array shape = Operand.array(instruction.shape());
    Shape.Array window = Operand.array(instruction.operands().get(1).shape());
    if (window.elementCount() == 0) {
      return target;
    } else if (target instanceof Operand.Scalar) {
      return update;
    }
    ImmutableList<Value> starts =
        code.indices().starts(shape, window, operands.subList(2, operands.size()));
    Operand.Leaf source = withoutAliasing(update, target);
    Operand.InMemory result =
        target instanceof Operand.InMemory buffer
            ? writable(buffer, isOnce)
            : code.inMemory(target);
    if (source instanceof Operand.Scalar scalar) {
      code.store(scalar.value(), result, starts);
    } else {
      code.store(
          source,
          window.sizes(),
          index -> index,
          result,
          index -> code.indices().plus(starts, index));
    }
    return result;
  }

  /** Returns an update that is not read from the target, which is overwritten meanwhile. */
  private Operand.Leaf withoutAliasing(Operand.Leaf update, Operand.Leaf target) {
    boolean isDisjoint = update.reads().stream().noneMatch(target.reads()::contains);
    return switch (update) {
      case Operand.Deferred deferred when !isDisjoint -> code.inMemory(deferred);
      case Operand.InMemory buffer when !isDisjoint -> copyToWorkspace(buffer);
      case Operand.Leaf other -> other;
    };
  }

  /**
   * Returns an array with the same elements that may be overwritten. A small array that is still
   * live is copied. Otherwise, live values that are computed from the array are stored first.
   */
  Operand.InMemory writable(Operand.InMemory buffer, boolean isOnce) {
    boolean isSmall = buffer.shape().elementCount() <= MAX_COPIED;
    if (isSmall
        && frames.stream().flatMap(LiveValues::liveLeaves).anyMatch(buffer::sharesBufferWith)) {
      return copyToWorkspace(buffer);
    }
    store(deferred -> deferred.reads().contains(buffer.local()));
    return arrays.writable(buffer, isOnce);
  }

  /**
   * Stores live values that are computed from arrays in memory, before code that may overwrite
   * these arrays.
   */
  void materializeDeferred() {
    store(deferred -> !deferred.reads().isEmpty());
  }

  /**
   * Stores values of the computations inside of the innermost loop. Code in a loop need not run, so
   * values from outside are never stored there; a loop has arrays of its own, from which none of
   * these values is computed.
   */
  private void store(Predicate<Operand.Deferred> which) {
    frames.stream()
        .limit(frames.size() - framesOutsideOfLoop)
        .forEach(frame ->
            frame.replaceLiveLeaves(leaf ->
                leaf instanceof Operand.Deferred deferred && which.test(deferred)
                    ? code.inMemory(deferred)
                    : leaf));
  }

  /** Writes the code of a loop, inside of the computations whose code is being written. */
  void inLoop(Runnable writing) {
    int before = framesOutsideOfLoop;
    framesOutsideOfLoop = frames.size();
    writing.run();
    framesOutsideOfLoop = before;
  }

  /** Returns a copy of an array. */
  Operand.InMemory copyToWorkspace(Operand.InMemory buffer) {
    Operand.InMemory copy = arrays.workspace(buffer.shape());
    code.overwrite(copy, buffer);
    return arrays.currentVersion(copy);
  }
}
