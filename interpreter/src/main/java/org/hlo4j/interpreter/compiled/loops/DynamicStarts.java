package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.stream.IntStream;
import org.hlo4j.hlo.ElementType;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.index.DynamicStart;
import org.hlo4j.interpreter.engine.KernelContext;
import org.jspecify.annotations.Nullable;

/** The start indices of the dynamic slices in a region, computed before its loops run. */
final class DynamicStarts {
  private final ImmutableList<DynamicStart<LoopNode>> starts;
  private final @Nullable CompiledLoopNest[] computations;
  private final int inputs;

  DynamicStarts(ImmutableList<DynamicStart<LoopNode>> starts, int inputs) {
    this.starts = starts;
    this.computations =
        starts.stream().map(start -> computation(start, inputs)).toArray(CompiledLoopNest[]::new);
    this.inputs = inputs;
  }

  private static @Nullable CompiledLoopNest computation(DynamicStart<LoopNode> start, int inputs) {
    boolean isRead = start.value() instanceof LoopNode.Read;
    return isRead ? null : new CompiledLoopNest(OutputRegion.of(start.value()), inputs);
  }

  int count() {
    return starts.size();
  }

  /** Returns whether a start index depends on an input. */
  boolean reads(int input) {
    return IntStream.range(0, starts.size())
        .anyMatch(s -> {
          CompiledLoopNest computation = computations[s];
          return computation == null
              ? ((LoopNode.Read) starts.get(s).value()).input() == input
              : computation.reads(input);
        });
  }

  /** Sets the counters of the start indices, which begin at number {@code first}. */
  void set(long[] counters, int first, Object[] arrays, KernelContext context) {
    for (int s = 0; s < starts.size(); s++) {
      long requested = requestedStart(starts.get(s).value(), computations[s], arrays, context);
      counters[first + s] = Math.clamp(requested, 0, starts.get(s).maxStart());
    }
  }

  private long requestedStart(
      LoopNode value,
      @Nullable CompiledLoopNest computation,
      Object[] arrays,
      KernelContext context) {
    ElementType type = value.type();
    if (computation == null) {
      LoopNode.Read read = (LoopNode.Read) value;
      return Storages.index(type, arrays[read.input()], (int) read.position().base());
    }
    Object[] all = new Object[inputs + 1];
    System.arraycopy(arrays, 0, all, 0, inputs);
    all[inputs] = Storages.allocate(type, 1);
    computation.run(all, context);
    return Storages.index(type, all[inputs], 0);
  }
}
