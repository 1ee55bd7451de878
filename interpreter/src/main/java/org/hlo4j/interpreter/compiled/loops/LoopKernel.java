package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ObjectArrays;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.hlo4j.hlo.Literal;
import org.hlo4j.hlo.Shape;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.BoundKernel;
import org.hlo4j.interpreter.engine.Kernel;
import org.hlo4j.interpreter.engine.KernelContext;

/**
 * A kernel that computes an instruction element by element, with a generated loop nest for each
 * region of its result.
 */
final class LoopKernel implements Kernel, ArrayKernel {
  private final Inputs inputs;
  private final Object[] constants;
  private final Shape.Array[] outputs;
  private final boolean isTuple;
  private final CompiledLoopNest[] nests;
  private final boolean[] canReuseOperandBuffer;

  LoopKernel(
      Inputs inputs,
      List<Shape.Array> outputs,
      boolean isTuple,
      ImmutableList<OutputRegion> parts) {
    this.inputs = inputs;
    this.constants = inputs.storages();
    this.outputs = outputs.toArray(Shape.Array[]::new);
    this.isTuple = isTuple;
    this.nests =
        parts.stream()
            .map(part -> new CompiledLoopNest(part, inputs.count()))
            .toArray(CompiledLoopNest[]::new);
    this.canReuseOperandBuffer = new boolean[inputs.operands()];
    for (int i = 0; i < canReuseOperandBuffer.length; i++) {
      int operand = i;
      canReuseOperandBuffer[i] =
          IntStream.range(0, nests.length)
              .allMatch(p -> nests[p].canReuseOperandBuffer(parts.get(p), operand));
    }
  }

  @Override
  public boolean canReuseOperandBuffer(int operand) {
    return canReuseOperandBuffer[operand];
  }

  ImmutableList<CompiledLoopNest> nests() {
    return ImmutableList.copyOf(nests);
  }

  /**
   * Returns whether all regions take so little time that they need no threads, and vectors do most
   * of the work.
   */
  boolean isShort() {
    return Arrays.stream(nests).allMatch(CompiledLoopNest::isShort);
  }

  @Override
  public boolean isReady() {
    return stages().allMatch(StageLoop::isReady);
  }

  @Override
  public void prepare() {
    stages().forEach(stage -> stage.body().prepare());
  }

  private Stream<StageLoop> stages() {
    return Arrays.stream(nests).flatMap(nest -> nest.stages().stream());
  }

  @Override
  public BoundKernel bind(Object[] operands, Object[] results, KernelContext context) {
    Object[] inputs = ObjectArrays.concat(operands, constants, Object.class);
    Object[] arrays = ObjectArrays.concat(inputs, results, Object.class);
    BoundKernel[] all =
        Arrays.stream(nests).map(nest -> nest.bind(arrays, context)).toArray(BoundKernel[]::new);
    return all.length == 1
        ? all[0]
        : () -> {
          for (BoundKernel each : all) {
            each.run();
          }
        };
  }

  @Override
  public Literal run(Literal[] operands, KernelContext context) {
    int first = operands.length + constants.length;
    Object[] arrays = new Object[first + outputs.length];
    for (int i = 0; i < operands.length; i++) {
      arrays[i] = operands[i].unsafeStorage();
    }
    System.arraycopy(constants, 0, arrays, operands.length, constants.length);
    for (int i = 0; i < outputs.length; i++) {
      arrays[first + i] = context.allocate(outputs[i]);
    }
    for (CompiledLoopNest nest : nests) {
      nest.run(arrays, context);
    }
    if (!isTuple) {
      return Literal.unsafeOf(outputs[0], arrays[first]);
    }
    Literal[] elements = new Literal[outputs.length];
    for (int i = 0; i < outputs.length; i++) {
      elements[i] = Literal.unsafeOf(outputs[i], arrays[first + i]);
    }
    return Literal.tuple(elements);
  }

  @Override
  public String describe() {
    String parts = nests.length == 1 ? nests[0].toString() : nests.length + " parts";
    return "loop " + List.of(outputs) + " of " + inputs.operands() + " operands, " + parts;
  }
}
