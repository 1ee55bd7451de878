package org.hlo4j.interpreter.engine;

import static com.google.common.collect.ImmutableList.toImmutableList;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.stream.IntStream;
import org.hlo4j.hlo.Dims;
import org.hlo4j.hlo.HloException;
import org.hlo4j.hlo.Shape;
import org.hlo4j.hlo.ir.HloInstruction;
import org.hlo4j.hlo.op.Op;
import org.hlo4j.hlo.op.Operands;
import org.hlo4j.hlo.op.ReduceWindow;
import org.hlo4j.hlo.op.Scatter;
import org.hlo4j.hlo.op.SelectAndScatter;
import org.hlo4j.hlo.op.Sort;
import org.jspecify.annotations.Nullable;

/**
 * An instruction at the sizes that its operands have at run time.
 *
 * @param op its op, adapted to the sizes
 * @param inputs the shapes of what the op takes: of operands that were cut or filled to fit each
 *     other, and of the others
 * @param fitted how operands are cut or filled, by their numbers
 * @param results what is done with the results of the op; empty if they are those of the
 *     instruction
 */
public record SizedInstruction(
    Op op,
    Operands inputs,
    ImmutableMap<Integer, FittedOperand> fitted,
    ImmutableList<FittedResult> results) {
  /**
   * A result that is made of what an op gives.
   *
   * @param sizes its sizes, to which it is cut
   * @param base the operand whose first elements it takes the place of, since it has others that
   *     did not take part; -1 if there is none
   */
  public record FittedResult(Dims sizes, int base) {}

  /**
   * Returns an instruction at sizes.
   *
   * @param instruction the instruction, as declared
   * @param actual the shapes that its operands have at run time
   * @throws HloException if sizes do not match
   */
  public static SizedInstruction of(HloInstruction instruction, List<Shape> actual) {
    Operands declared = HloInstruction.inputs(instruction.operands(), instruction.called());
    boolean isFitted =
        declared.shapes().stream().allMatch(Shape.Array.class::isInstance)
            && declared.shapes().stream().anyMatch(Shape::isDynamic);
    ImmutableMap<Integer, FittedOperand> fitted =
        isFitted ? OperandFitting.of(instruction, arrays(actual)) : ImmutableMap.of();
    ImmutableList<Shape> shapes =
        IntStream.range(0, actual.size())
            .mapToObj(i -> fitted(actual.get(i), fitted.get(i)))
            .collect(toImmutableList());
    Operands inputs = new Operands(shapes, declared.called());
    Op op = atSizes(instruction.op(), declared, inputs);
    return new SizedInstruction(
        op,
        inputs,
        fitted,
        fitted.isEmpty() ? ImmutableList.of() : results(op, arrays(actual), fitted));
  }

  private static Op atSizes(Op op, Operands declared, Operands actual) {
    try {
      return op.atSizes(declared, actual);
    } catch (HloException refusal) {
      throw refusal.prefixed(op.opcode() + ": ");
    }
  }

  private static Shape fitted(Shape actual, @Nullable FittedOperand fitted) {
    return fitted == null ? actual : ((Shape.Array) actual).withSizes(fitted.filled());
  }

  private static ImmutableList<Shape.Array> arrays(List<Shape> shapes) {
    return shapes.stream().map(Shape.Array.class::cast).collect(toImmutableList());
  }

  private static ImmutableList<FittedResult> results(
      Op op, List<Shape.Array> actual, ImmutableMap<Integer, FittedOperand> fitted) {
    return switch (op) {
      case Sort _ -> ofOperands(actual, fitted);
      case Scatter _ -> ofOperands(actual.subList(0, actual.size() / 2), fitted);
      case SelectAndScatter _ -> ofOperands(actual.subList(0, 1), fitted);
      case ReduceWindow reduce ->
          actual.subList(0, actual.size() / 2).stream()
              .map(input -> new FittedResult(reduce.window().outputSizes(input.sizes()), -1))
              .collect(toImmutableList());
      default -> ImmutableList.of();
    };
  }

  /** Returns results of the sizes of operands, whose elements they are moved or combined from. */
  private static ImmutableList<FittedResult> ofOperands(
      List<Shape.Array> actual, ImmutableMap<Integer, FittedOperand> fitted) {
    return IntStream.range(0, actual.size())
        .mapToObj(i -> {
          FittedOperand operand = fitted.get(i);
          Dims sizes = actual.get(i).sizes();
          return new FittedResult(sizes, operand != null && operand.isCutOf(sizes) ? i : -1);
        })
        .collect(toImmutableList());
  }

  /** Returns the shape of what the op gives, by the rule that also gave the declared shape. */
  public Shape shape() {
    return op.infer(inputs).withoutLayout();
  }
}
