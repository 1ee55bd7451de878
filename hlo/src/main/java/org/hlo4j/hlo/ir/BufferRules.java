package org.hlo4j.hlo.ir;

import static com.google.common.collect.ImmutableList.toImmutableList;
import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static com.google.common.collect.ImmutableSet.toImmutableSet;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import com.google.common.collect.ImmutableSet;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.op.Aliasing;
import org.hlo4j.hlo.op.CustomCall;
import org.hlo4j.hlo.op.GetTupleElement;
import org.hlo4j.hlo.op.Parameter;
import org.hlo4j.hlo.op.Tuple;
import org.hlo4j.hlo.op.While;

/**
 * The rules of buffers: which instructions may have them, that a custom call returns each buffer
 * that it takes, and that each buffer has at most one writer. An {@code Unpin}, a loop and the root
 * of a loop's body are writers too. Source of the rules: the check of buffers in XLA's {@code
 * HloVerifier}; XLA overlooks a buffer that occurs twice in a tuple, or that is used beside the
 * root of a body.
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
    boolean hasBuffers =
        instruction.shape().hasBuffers()
            || instruction.operands().stream().anyMatch(operand -> operand.shape().hasBuffers());
    if (hasBuffers) {
      checkPlace(computation, instruction);
    }
    if (instruction.op() instanceof CustomCall call) {
      checkCall(call, instruction, hasBuffers);
    }
    if (hasBuffers) {
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

  private static void checkCall(CustomCall op, HloInstruction call, boolean hasBuffers) {
    ImmutableList<Shape> in =
        call.operands().stream().map(HloInstruction::shape).collect(toImmutableList());
    switch (op.customCallTarget()) {
      case CustomCall.PIN -> {
        boolean isRight =
            in.size() == 1
                && in.get(0) instanceof Shape.Array array
                && call.shape() instanceof Shape.Buffer buffer
                && isSame(array, buffer.array());
        requireTarget(isRight, op, call, in, "the buffer of one array");
        requireAliased(op);
      }
      case CustomCall.UNPIN -> {
        boolean isRight =
            in.size() == 1
                && in.get(0) instanceof Shape.Buffer buffer
                && call.shape() instanceof Shape.Array array
                && isSame(array, buffer.array());
        requireTarget(isRight, op, call, in, "the array of one buffer");
        requireAliased(op);
      }
      case CustomCall.CREATE_BUFFER -> {
        boolean isRight = in.isEmpty() && call.shape() instanceof Shape.Buffer;
        requireTarget(isRight, op, call, in, "no operands and a buffer");
      }
      default -> {
        if (hasBuffers) {
          checkGivenBack(op, call.shape(), in);
        }
      }
    }
  }

  /**
   * Returns whether two shapes are equal, including layouts, as in XLA: the array is not copied.
   */
  private static boolean isSame(Shape.Array array, Shape.Array inBuffer) {
    return array.withDefaultLayout().equals(inBuffer.withDefaultLayout());
  }

  private static void requireTarget(
      boolean isRight, CustomCall op, HloInstruction call, ImmutableList<Shape> in, String want) {
    require(
        isRight,
        "",
        "custom-call: %s of %s got result %s, want %s",
        op.customCallTarget(),
        in,
        call.shape(),
        want);
  }

  private static void requireAliased(CustomCall op) {
    require(
        op.outputToOperandAliasing().size() == 1,
        "",
        "custom-call: output_to_operand_aliasing of %s got %s, want one pair",
        op.customCallTarget(),
        op.outputToOperandAliasing());
  }

  /**
   * Checks that each buffer is in exactly one aliasing pair, so that what is written into it is not
   * lost.
   */
  private static void checkGivenBack(CustomCall op, Shape result, ImmutableList<Shape> in) {
    List<Aliasing> pairs = op.outputToOperandAliasing();
    ImmutableMultiset<Dims> outputs =
        pairs.stream().map(Aliasing::output).collect(toImmutableMultiset());
    ImmutableMultiset<Aliasing> inputs =
        pairs.stream()
            .map(pair -> input(pair.operand(), pair.operandIndex()))
            .collect(toImmutableMultiset());
    for (int i = 0; i < in.size(); i++) {
      int operand = i;
      requireOnce(
          "operand " + i, in.get(i), Dims.of(), index -> inputs.count(input(operand, index)));
    }
    requireOnce("the result", result, Dims.of(), outputs::count);
  }

  private static Aliasing input(int operand, Dims index) {
    return new Aliasing(Dims.of(), operand, index);
  }

  private static void requireOnce(String role, Shape shape, Dims index, ToIntFunction<Dims> count) {
    if (shape instanceof Shape.Tuple tuple && tuple.hasBuffers()) {
      for (int i = 0; i < tuple.elements().size(); i++) {
        requireOnce(role, tuple.elements().get(i), index.concat(Dims.of(i)), count);
      }
    } else if (shape instanceof Shape.Buffer) {
      int pairs = count.applyAsInt(index);
      require(
          pairs == 1,
          "",
          "custom-call: output_to_operand_aliasing got %s pairs for the buffer {%s} of %s, want 1",
          pairs,
          index.stream().mapToObj(Long::toString).collect(Collectors.joining(",")),
          role);
    }
  }
}
