package org.hlo4j.hlo.op;

import static com.google.common.collect.ImmutableMultiset.toImmutableMultiset;
import static org.hlo4j.hlo.HloException.require;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMultiset;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.Shape;

/** The rules of custom calls with buffers: a call returns each buffer that it takes. */
final class CallBuffers {
  private CallBuffers() {}

  static void check(CustomCall op, ImmutableList<Shape> in, Shape result) {
    switch (op.customCallTarget()) {
      case CustomCall.PIN -> {
        boolean isRight =
            in.size() == 1
                && in.get(0) instanceof Shape.Array array
                && result instanceof Shape.Buffer buffer
                && isSame(array, buffer.array());
        requireTarget(isRight, op, in, result, "the buffer of one array");
        requireAliased(op);
      }
      case CustomCall.UNPIN -> {
        boolean isRight =
            in.size() == 1
                && in.get(0) instanceof Shape.Buffer buffer
                && result instanceof Shape.Array array
                && isSame(array, buffer.array());
        requireTarget(isRight, op, in, result, "the array of one buffer");
        requireAliased(op);
      }
      case CustomCall.CREATE_BUFFER -> {
        boolean isRight = in.isEmpty() && result instanceof Shape.Buffer;
        requireTarget(isRight, op, in, result, "no operands and a buffer");
      }
      default -> {
        if (result.hasBuffers() || in.stream().anyMatch(Shape::hasBuffers)) {
          checkGivenBack(op, in, result);
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
      boolean isRight, CustomCall op, ImmutableList<Shape> in, Shape result, String want) {
    require(
        isRight, "", "%s of %s got result %s, want %s", op.customCallTarget(), in, result, want);
  }

  private static void requireAliased(CustomCall op) {
    require(
        op.outputToOperandAliasing().size() == 1,
        "",
        "output_to_operand_aliasing of %s got %s, want one pair",
        op.customCallTarget(),
        op.outputToOperandAliasing());
  }

  /**
   * Checks that each buffer is in exactly one aliasing pair, so that what is written into it is not
   * lost.
   */
  private static void checkGivenBack(CustomCall op, ImmutableList<Shape> in, Shape result) {
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
          "output_to_operand_aliasing got %s pairs for the buffer {%s} of %s, want 1",
          pairs,
          index.stream().mapToObj(Long::toString).collect(Collectors.joining(",")),
          role);
    }
  }
}
