package org.hlo4j.interpreter.compiled.loops;

import com.google.common.collect.ImmutableList;
import java.util.Optional;
import org.hlo4j.hlo.LiteralBuilder;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Constant;
import org.hlo4j.hlo.op.Fusion;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.interpreter.compiled.arrays.ArrayKernel;
import org.hlo4j.interpreter.compiled.arrays.Storages;
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Kernels of generated loops for element-wise computation: for single instructions, and for
 * fusions, which read their operands once and store no intermediate values.
 */
public final class Loops {
  private static final int MAX_FUSED = 1_000;

  private Loops() {}

  /**
   * Returns whether an instruction can be part of a loop fusion. These are the element-wise ops,
   * compare, select, clamp, convert, reduce-precision, and bitcast-convert between types of the
   * same width; the movement ops broadcast, iota, transpose, slice, reverse, reshape, pad,
   * concatenate, dynamic-slice, copy and bitcast; constants and parameters. All arrays have to be
   * static, and arithmetic on complex numbers has to be lowered to their parts. The root may also
   * be a tuple of arrays with equal element counts.
   *
   * <p>This does not promise that {@link #kernel} has a kernel for the whole fusion; it is asked
   * when the fusion is made. There is none if the start of a dynamic-slice depends on another one,
   * if a reshape splits rows that were sliced out of longer rows, or if pads and concatenations cut
   * the result into very many regions.
   *
   * <p>An element of an operand is computed once for each use. An expensive instruction should
   * therefore not be fused into a broadcast that repeats it, and fusing concatenate and pad pays
   * only if they are not read at many different positions.
   *
   * @param instruction the instruction, in any computation
   * @return whether it can be fused
   */
  public static boolean canFuse(HloInstruction instruction) {
    return InstructionRole.of(instruction) != InstructionRole.NONE;
  }

  /**
   * Returns a kernel of generated loops.
   *
   * @param instruction a fusion, or a single instruction that {@link #canFuse}
   * @param observesNanBits whether the bits of NaNs in the result are observable; if so, all NaNs
   *     become the quiet NaN of the type, which costs time
   * @return the kernel, or a decline if loops cannot compute it
   */
  public static KernelChoice kernel(HloInstruction instruction, boolean observesNanBits) {
    if (instruction.op() instanceof Fusion) {
      HloComputation fused = instruction.called().get(0);
      return fused.instructions().size() > MAX_FUSED
          ? KernelChoice.decline("more than " + MAX_FUSED + " instructions in one loop")
          : fused(fused, observesNanBits);
    }
    boolean single = canFuse(instruction) && !(instruction.op() instanceof Parameter);
    return single && !(instruction.op() instanceof Constant)
        ? kernel(Inputs.of(instruction), instruction, observesNanBits)
        : noLoop(instruction);
  }

  /**
   * Returns generated loops over few elements, to be run repeatedly.
   *
   * @param instruction as in {@link #kernel}
   * @param observesNanBits as in {@link #kernel}
   * @return the loops; empty if they take long, or if vectors do not do most of the work
   */
  public static Optional<ArrayKernel> shortLoop(
      HloInstruction instruction, boolean observesNanBits) {
    return loopKernel(instruction, observesNanBits)
        .filter(LoopKernel::isShort)
        .map(kernel -> kernel);
  }

  static Optional<LoopKernel> loopKernel(HloInstruction instruction, boolean observesNanBits) {
    return kernel(instruction, observesNanBits).kernel().map(LoopKernel.class::cast);
  }

  private static KernelChoice noLoop(HloInstruction instruction) {
    return KernelChoice.decline(
        "no loop does " + instruction.op().opcode() + " to " + instruction.shape().withoutLayout());
  }

  private static KernelChoice fused(HloComputation fused, boolean observesNanBits) {
    return fused.instructions().stream()
        .filter(each -> !canFuse(each) && !(each == fused.root() && each.op() instanceof Tuple))
        .findFirst()
        .map(Loops::noLoop)
        .orElseGet(() -> kernel(Inputs.of(fused), fused.root(), observesNanBits));
  }

  private static KernelChoice kernel(Inputs inputs, HloInstruction root, boolean observesNanBits) {
    boolean isTuple = root.op() instanceof Tuple;
    ImmutableList<HloInstruction> outputs = isTuple ? root.operands() : ImmutableList.of(root);
    ImmutableList<Shape.Array> shapes =
        outputs.stream()
            .map(output -> (Shape.Array) output.shape().withoutLayout())
            .collect(ImmutableList.toImmutableList());
    boolean alike = shapes.stream().map(Shape.Array::elementCount).distinct().count() == 1;
    if (!alike || shapes.get(0).elementCount() > LiteralBuilder.MAX_COMPONENTS) {
      return KernelChoice.decline("results of different or too large sizes");
    }
    if (!inputs.canBeHeld() || !shapes.stream().allMatch(Storages::canHold)) {
      return KernelChoice.decline("sizes beyond int");
    }
    try {
      return KernelChoice.of(
          OutputRegion.of(inputs, outputs, observesNanBits)
              .map(parts -> new LoopKernel(inputs, shapes, isTuple, parts)),
          "a result in too many parts");
    } catch (NoCodeException none) {
      return none.decline();
    }
  }
}
