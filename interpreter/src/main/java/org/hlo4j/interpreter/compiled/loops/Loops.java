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
import org.hlo4j.interpreter.compiled.codegen.NoCodeException;
import org.hlo4j.interpreter.engine.KernelChoice;

/**
 * Element-wise computation as generated loops: of single instructions, and of fusions, which read
 * their operands once and keep nothing between.
 */
public final class Loops {
  private static final int MAX_FUSED = 1_000;

  private Loops() {}

  /**
   * Whether an instruction can stand in the computation of a loop fusion. That is so for the
   * element-wise ops, compare, select, clamp, convert, reduce-precision, bitcast-convert of one
   * width; for those that only move elements: broadcast, iota, transpose, slice, reverse, reshape,
   * pad, concatenate, dynamic-slice, copy, bitcast; for constants and parameters: all of static,
   * not complex arrays. The root may also be a tuple of arrays of equal element counts.
   *
   * <p>It is no promise that {@link #kernel} has one for the whole: it is asked when the fusion is
   * made. There is none where the start of a dynamic-slice depends on another one, where a reshape
   * breaks rows of what was cut out of longer rows, or where pads and concatenations cut the result
   * into very many parts.
   *
   * <p>An element of an operand is computed as often as it is used; so what is expensive should not
   * be fused into a broadcast that repeats it, and concatenate and pad pay only if they are not
   * read at many different positions.
   *
   * @param instruction the instruction, wherever it stands
   * @return whether it can
   */
  public static boolean canFuse(HloInstruction instruction) {
    return InstructionRole.of(instruction) != InstructionRole.NONE;
  }

  /**
   * A kernel of generated loops.
   *
   * @param instruction a fusion, or a single instruction that {@link #canFuse}
   * @param observesNanBits whether somebody may tell one NaN of the result from another: they are
   *     the type's one quiet NaN then, which costs time
   * @return the kernel; empty if loops cannot do it
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
   * Generated loops over few elements, to be run again and again.
   *
   * @param instruction as {@link #kernel} has it
   * @param observesNanBits as {@link #kernel} has it
   * @return the loops; empty if they take long, or if vectors do not do most of it
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
