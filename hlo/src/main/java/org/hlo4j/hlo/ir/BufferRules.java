package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableSet;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * The rules of buffers: which instructions may have them, and that each buffer has at most one
 * writer. An {@code Unpin}, a loop and the root of a loop's body are writers too. Source of the
 * rules: the check of buffers in XLA's {@code HloVerifier}; XLA overlooks a buffer that occurs
 * twice in a tuple, or that is used beside the root of a body.
 */
final class BufferRules {
  private final HloModule module;
  private final ImmutableSet<HloComputation> bodies;
  private final BufferWriters writers = new BufferWriters();

  BufferRules(HloModule module) {
    this.module = module;
    this.bodies =
        module.computations().stream()
            .flatMap(computation -> computation.instructions().stream())
            .filter(instruction -> instruction.op() instanceof While)
            .flatMap(loop -> loop.called().stream())
            .collect(toImmutableSet());
  }

  void check(HloComputation computation, HloInstruction instruction) {
    writers.add(instruction);
    if (instruction.op() instanceof CustomCall call) {
      call.checkBuffers(
          instruction.operands().stream().map(HloInstruction::shape).collect(toImmutableList()),
          instruction.shape());
    }
    boolean hasBuffers =
        instruction.shape().hasBuffers()
            || instruction.operands().stream().anyMatch(operand -> operand.shape().hasBuffers());
    if (hasBuffers) {
      checkPlace(computation, instruction);
      checkWriters(computation, instruction);
    }
  }

  private void checkPlace(HloComputation computation, HloInstruction instruction) {
    boolean mayHave =
        switch (instruction.op()) {
          case Parameter op -> computation != module.entry();
          case CustomCall op -> true;
          case While op -> true;
          case Tuple op -> true;
          case GetTupleElement op -> true;
          default -> false;
        };
    require(
        mayHave,
        "",
        "%s: got %s, want no buffers but in custom-call, while, tuple, get-tuple-element and"
            + " parameters of what is called",
        instruction.op().opcode(),
        instruction.operands().stream()
            .map(HloInstruction::shape)
            .filter(Shape::hasBuffers)
            .findFirst()
            .orElse(instruction.shape())
            .withoutLayout());
  }

  private void checkWriters(HloComputation computation, HloInstruction instruction) {
    if (instruction.op() instanceof CustomCall || instruction.op() instanceof While) {
      instruction.operands().forEach(operand -> writers.write(operand, instruction));
    }
    if (instruction == computation.root() && bodies.contains(computation)) {
      writers.write(instruction, instruction);
    }
  }
}
