package org.hlo4j.interpreter.engine;

import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hlo4j.hlo.HloException.Kind;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloComputation;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.ir.HloModule;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Parameter;

/**
 * The lowering of buffers to arrays. The verifier lets each buffer be written at most once, so a
 * call that returns a new array computes the same as a call that writes the buffer in place.
 */
final class BufferLowering {
  private final Map<HloComputation, HloComputation> computations = new HashMap<>();
  private final Map<HloInstruction, HloInstruction> instructions = new HashMap<>();

  private BufferLowering() {}

  /**
   * Returns a verified module without buffers.
   *
   * @return the module; the same one if it has no buffers
   * @throws org.hlo4j.hlo.HloException if the result is a buffer, which only XLA can return
   */
  static HloModule lower(HloModule module) {
    boolean hasBuffers =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .anyMatch(instruction -> instruction.shape().hasBuffers());
    if (!hasBuffers) {
      return module;
    }
    Shape result = module.entry().root().shape();
    require(
        !result.hasBuffers(),
        Kind.UNSUPPORTED,
        "run: result got %s, want arrays: Unpin the buffers",
        result.withoutLayout());
    return new BufferLowering().rewrite(module);
  }

  private HloModule rewrite(HloModule module) {
    ImmutableList.Builder<HloComputation> all = ImmutableList.builder();
    module.computations().forEach(computation -> all.add(rewrite(computation)));
    return HloModule.create(module.name(), all.build(), get(module.entry()))
        .withText(module.attributes(), module.stackFrames());
  }

  private HloComputation get(HloComputation computation) {
    return computations.getOrDefault(computation, computation);
  }

  private HloInstruction get(HloInstruction instruction) {
    return instructions.getOrDefault(instruction, instruction);
  }

  private HloComputation rewrite(HloComputation computation) {
    boolean isSame =
        computation.instructions().stream()
            .allMatch(instruction ->
                !instruction.shape().hasBuffers()
                    && instruction.called().stream().allMatch(called -> get(called) == called));
    if (!isSame) {
      List<HloInstruction> list = computation.instructions().stream().map(this::rewrite).toList();
      computations.put(
          computation,
          HloComputation.create(
              computation.name(), list, get(computation.root()), computation.executionThread()));
    }
    return get(computation);
  }

  private HloInstruction rewrite(HloInstruction instruction) {
    HloInstruction lowered =
        HloInstruction.create(
                instruction.name(),
                rewrite(instruction.op()),
                instruction.operands().stream().map(this::get).toList(),
                instruction.called().stream().map(this::get).toList(),
                instruction.shape().withoutBuffers(),
                instruction.metadata(),
                instruction.attributes())
            .withSharding(instruction.sharding());
    HloInstruction placed = instruction.position().map(lowered::withPosition).orElse(lowered);
    instructions.put(instruction, placed);
    return placed;
  }

  /**
   * Returns the op on arrays. Operand layout constraints apply to buffers and arrays alike, and no
   * evaluator reads them, so they are kept.
   */
  private static Op rewrite(Op op) {
    return switch (op) {
      case Parameter parameter ->
          new Parameter(parameter.number(), parameter.shape().withoutBuffers());
      case CustomCall call ->
          new CustomCall(
              call.shape().withoutBuffers(),
              call.customCallTarget(),
              call.operandLayoutConstraints(),
              call.customCallHasSideEffect(),
              call.literal(),
              call.outputToOperandAliasing(),
              call.schedule(),
              call.apiVersion());
      default -> op;
    };
  }
}
